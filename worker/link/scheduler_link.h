#ifndef QUIRE_WORKER_LINK_SCHEDULER_LINK_H_
#define QUIRE_WORKER_LINK_SCHEDULER_LINK_H_

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "quire/worker/v1/attach.grpc.pb.h"
#include "worker/executor/executor.h"
#include "worker/link/attach_ending.h"
#include "worker/link/redial_backoff.h"

namespace quire {

struct SchedulerLinkOptions {
  std::string address;  // "host:port" or "unix:path".
  RedialBackoff::Options redial;
  uint64_t jitter_seed = 0;  // Differs between the ranks of a group.
};

// The worker's end of the Attach stream: dials, shakes hands, receives plans,
// has them executed and answers, and dials again when the stream ends, for as
// long as the process lives. One thread runs it; Stop may come from any other.
//
//   dialling --stream--> greeting --Welcome, cache allocated--> attached
//     any --stream ends--> pausing --> dialling
//     any --Stop--> stopped
class SchedulerLink {
 public:
  // `hello` describes this rank. `executor` must outlive the link.
  SchedulerLink(const SchedulerLinkOptions& options, worker::v1::Hello hello,
                Executor* executor);

  // Serves until Stop. A refused handshake (FAILED_PRECONDITION and the like)
  // is logged with the scheduler's text and tried again at the slowest pace,
  // since the scheduler may be restarted with other flags.
  void Run();

  // Makes Run return: at once, or after the step that is being executed. Also
  // before Run. Thread-safe.
  void Stop();

 private:
  using Stream = grpc::ClientReaderWriter<worker::v1::WorkerMessage,
                                          worker::v1::SchedulerMessage>;

  AttachEnding Attach();
  // Shakes hands and serves plans until the stream ends, which is ok; the
  // reason is with the stream then. Otherwise this side ends it, with a reason.
  absl::Status Serve(Stream* stream, bool* is_attached);
  absl::Status ShakeHands(Stream* stream, bool* is_attached);
  absl::Status AnswerPlans(Stream* stream);
  void Answer(const worker::v1::StepPlan& plan, worker::v1::StepResult* result);
  void Pause(const AttachEnding& ending);

  // Whether the attempt may go on, which Stop cancels from now on.
  bool Open(grpc::ClientContext* context);
  void Close();

  const SchedulerLinkOptions options_;
  const worker::v1::Hello hello_;
  Executor* const executor_;
  RedialBackoff backoff_;
  std::string last_trouble_;  // Said once, not again with each attempt.

  absl::Mutex mutex_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  grpc::ClientContext* context_ ABSL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace quire

#endif  // QUIRE_WORKER_LINK_SCHEDULER_LINK_H_
