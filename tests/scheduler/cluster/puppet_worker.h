#ifndef QUIRE_TESTS_SCHEDULER_CLUSTER_PUPPET_WORKER_H_
#define QUIRE_TESTS_SCHEDULER_CLUSTER_PUPPET_WORKER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "grpcpp/client_context.h"
#include "grpcpp/support/status.h"
#include "quire/worker/v1/attach.grpc.pb.h"

namespace quire::testing {

// A worker made of nothing but its stream; a test speaks for it. Calls block
// until the message is there.
class PuppetWorker {
 public:
  // Dials the scheduler. `fingerprint` is of the model that it claims to hold.
  explicit PuppetWorker(const std::string& address,
                        const std::string& fingerprint = "aa");

  void SayHello(uint32_t rank, uint32_t world_size);
  void SayReady(uint64_t epoch);
  // Hello as the only rank, Welcome, Ready. Returns the epoch.
  uint64_t Attach();

  worker::v1::SchedulerMessage Receive();
  // One token for each run that samples: always `token`.
  void Answer(const worker::v1::StepPlan& plan, int32_t token = 0);

  // Reads until the scheduler ends the stream, and returns how.
  grpc::Status AwaitEnd();
  // The process dies.
  void Die();

 private:
  std::unique_ptr<worker::v1::WorkerService::Stub> stub_;
  grpc::ClientContext context_;
  const std::string fingerprint_;
  std::unique_ptr<grpc::ClientReaderWriter<worker::v1::WorkerMessage,
                                           worker::v1::SchedulerMessage>>
      stream_;
};

}  // namespace quire::testing

#endif  // QUIRE_TESTS_SCHEDULER_CLUSTER_PUPPET_WORKER_H_
