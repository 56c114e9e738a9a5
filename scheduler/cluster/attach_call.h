#ifndef QUIRE_SCHEDULER_CLUSTER_ATTACH_CALL_H_
#define QUIRE_SCHEDULER_CLUSTER_ATTACH_CALL_H_

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_stream.h"
#include "quire/worker/v1/attach.grpc.pb.h"
#include "scheduler/cluster/worker_connection.h"
#include "scheduler/cluster/worker_group.h"

namespace quire {

// One call of WorkerService.Attach, from waiting for a worker to dial until the
// stream is over. States:
//
//   accepting --a worker dials--> open --End, or the worker hangs up--> ending
//   ending --status delivered or dropped, every operation complete--> over
//   accepting --the server goes down--> over
//
// gRPC's completion queue API, because its Finish can overtake a pending read
// and because a queue of its own keeps the group's steps out of the way of the
// public API's reactions. Thread-safe as a WorkerConnection; Proceed is for the
// queue's thread.
class AttachCall final : public WorkerConnection {
 public:
  enum class Operation { kAccept, kRead, kWrite, kFinish };
  // What the completion queue returns.
  struct Tag {
    AttachCall* call;
    Operation operation;
  };

  // Starts to accept. `group` must outlive the call, and the call be kept until
  // it is over.
  AttachCall(worker::v1::WorkerService::AsyncService* service,
             grpc::ServerCompletionQueue* queue, WorkerGroup* group);

  // Handles the completion of an operation. `self` owns this. Returns whether
  // the call is over.
  bool Proceed(Operation operation, bool ok,
               const std::shared_ptr<AttachCall>& self);

  void SendWelcome(const worker::v1::Welcome& welcome) override;
  void SendPlan(worker::v1::StepPlan& plan) override;
  void End(const absl::Status& status) override;
  const std::string& peer() const override { return peer_; }

 private:
  using Message = std::unique_ptr<worker::v1::SchedulerMessage>;

  void OnAccepted(const std::shared_ptr<AttachCall>& self);
  void OnRead(bool ok);
  void OnWritten();
  void Read();
  void Enqueue(Message message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WriteFront() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  WorkerGroup* const group_;
  grpc::ServerContext context_;
  grpc::ServerAsyncReaderWriter<worker::v1::SchedulerMessage,
                                worker::v1::WorkerMessage>
      stream_;
  Tag accept_tag_{this, Operation::kAccept};
  Tag read_tag_{this, Operation::kRead};
  Tag write_tag_{this, Operation::kWrite};
  Tag finish_tag_{this, Operation::kFinish};
  std::string peer_;                   // Written before the group knows us.
  worker::v1::WorkerMessage message_;  // Of the pending read.

  absl::Mutex mutex_;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  int num_operations_ ABSL_GUARDED_BY(mutex_) = 0;  // Pending.
  // The front is being written. Short: one entry for each unanswered plan.
  std::deque<Message> outbox_ ABSL_GUARDED_BY(mutex_);
  std::vector<Message> spare_ ABSL_GUARDED_BY(mutex_);  // Plans to reuse.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_CLUSTER_ATTACH_CALL_H_
