#ifndef QUIRE_TESTS_WORKER_LINK_SCRIPTED_SCHEDULER_H_
#define QUIRE_TESTS_WORKER_LINK_SCRIPTED_SCHEDULER_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "quire/worker/v1/attach.grpc.pb.h"

namespace quire::testing {

// The scheduler's end of one Attach stream, by verbs. Each returns false or an
// empty message where the worker has gone.
class AttachPuppet {
 public:
  using Stream = grpc::ServerReaderWriter<worker::v1::SchedulerMessage,
                                          worker::v1::WorkerMessage>;
  explicit AttachPuppet(Stream* stream) : stream_(stream) {}

  worker::v1::WorkerMessage Read();
  bool Welcome(uint64_t epoch, uint32_t block_size, uint32_t num_blocks,
               uint32_t max_step_rows, uint32_t num_host_blocks = 0);
  bool Send(const worker::v1::StepPlan& plan);

 private:
  Stream* const stream_;
};

// A scheduler that plays one script for each Attach, in order, and refuses what
// comes after the last (UNAVAILABLE).
class ScriptedScheduler final : public worker::v1::WorkerService::Service {
 public:
  using Script = std::function<grpc::Status(AttachPuppet* worker)>;

  // address: "127.0.0.1:0" or "unix:PATH".
  ScriptedScheduler(const std::string& address, std::vector<Script> scripts);
  ~ScriptedScheduler() override;

  // Where it listens, with the port that was chosen.
  const std::string& address() const { return address_; }

  // Returns once the last script has ended.
  void AwaitEnd() { end_.WaitForNotification(); }

 private:
  grpc::Status Attach(grpc::ServerContext* context,
                      AttachPuppet::Stream* stream) override;

  const std::vector<Script> scripts_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
  absl::Notification end_;
  absl::Mutex mutex_;
  size_t num_attached_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace quire::testing

#endif  // QUIRE_TESTS_WORKER_LINK_SCRIPTED_SCHEDULER_H_
