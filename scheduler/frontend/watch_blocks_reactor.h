#ifndef QUIRE_SCHEDULER_FRONTEND_WATCH_BLOCKS_REACTOR_H_
#define QUIRE_SCHEDULER_FRONTEND_WATCH_BLOCKS_REACTOR_H_

#include <functional>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "grpcpp/alarm.h"
#include "grpcpp/support/server_callback.h"
#include "quire/v1/quire.grpc.pb.h"

namespace quire {

// The request's interval. INVALID_ARGUMENT: out of bounds.
absl::StatusOr<absl::Duration> WatchInterval(
    const v1::WatchBlocksRequest& request);

// One WatchBlocks call: a first observation at once, and another `interval`
// after each one has been written, until the client ends the call. Owns itself
// until gRPC is done with it.
//
//   writing -> waiting   the write is done
//   waiting -> writing   the alarm rings
//   either -> finished   the client is gone; what is under way, the write or
//                        the alarm, ends first and then finishes the call
class WatchBlocksReactor final
    : public grpc::ServerWriteReactor<v1::WatchBlocksResponse> {
 public:
  // `observe` is called on gRPC's threads, never twice at a time.
  static WatchBlocksReactor* Start(
      absl::Duration interval,
      std::function<v1::WatchBlocksResponse()> observe);

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override { delete this; }

 private:
  WatchBlocksReactor(absl::Duration interval,
                     std::function<v1::WatchBlocksResponse()> observe);

  void Write();
  void OnAlarm(bool rang);

  const absl::Duration interval_;
  const std::function<v1::WatchBlocksResponse()> observe_;
  v1::WatchBlocksResponse message_;
  grpc::Alarm alarm_;

  absl::Mutex mutex_;
  bool waiting_ ABSL_GUARDED_BY(mutex_) = false;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_WATCH_BLOCKS_REACTOR_H_
