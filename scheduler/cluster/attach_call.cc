#include "scheduler/cluster/attach_call.h"

#include <utility>

#include "common/grpc_status.h"

namespace quire {

AttachCall::AttachCall(worker::v1::WorkerService::AsyncService* service,
                       grpc::ServerCompletionQueue* queue, WorkerGroup* group)
    : group_(group), stream_(&context_), num_operations_(1) {
  service->RequestAttach(&context_, &stream_, queue, queue, &accept_tag_);
}

bool AttachCall::Proceed(Operation operation, bool ok,
                         const std::shared_ptr<AttachCall>& self) {
  switch (operation) {
    case Operation::kAccept:
      if (ok) OnAccepted(self);
      break;
    case Operation::kRead:
      OnRead(ok);
      break;
    case Operation::kWrite:
      OnWritten();
      break;
    case Operation::kFinish:
      break;
  }
  absl::MutexLock lock(&mutex_);
  if (operation == Operation::kFinish) finished_ = true;
  if (operation == Operation::kAccept && !ok) finished_ = true;
  return --num_operations_ == 0 && finished_;
}

void AttachCall::OnAccepted(const std::shared_ptr<AttachCall>& self) {
  peer_ = context_.peer();
  group_->OnAttach(self);
  Read();
}

void AttachCall::OnRead(bool ok) {
  if (!ok) {
    group_->OnClosed(*this, "hung up");
    End(absl::CancelledError("the worker hung up"));
    return;
  }
  group_->OnMessage(*this, message_);
  Read();
}

void AttachCall::Read() {
  absl::MutexLock lock(&mutex_);
  if (ending_) return;
  ++num_operations_;
  stream_.Read(&message_, &read_tag_);
}

void AttachCall::SendWelcome(const worker::v1::Welcome& welcome) {
  absl::MutexLock lock(&mutex_);
  auto message = std::make_unique<worker::v1::SchedulerMessage>();
  *message->mutable_welcome() = welcome;
  Enqueue(std::move(message));
}

void AttachCall::SendPlan(worker::v1::StepPlan& plan) {
  absl::MutexLock lock(&mutex_);
  if (spare_.empty()) {
    spare_.push_back(std::make_unique<worker::v1::SchedulerMessage>());
  }
  Message message = std::move(spare_.back());
  spare_.pop_back();
  message->mutable_plan()->Swap(&plan);
  plan.Clear();
  Enqueue(std::move(message));
}

void AttachCall::Enqueue(Message message) {
  if (ending_) return;
  outbox_.push_back(std::move(message));
  if (outbox_.size() == 1) WriteFront();
}

void AttachCall::WriteFront() {
  ++num_operations_;
  stream_.Write(*outbox_.front(), &write_tag_);
}

// A failed write is not reported: the pending read fails with it.
void AttachCall::OnWritten() {
  absl::MutexLock lock(&mutex_);
  spare_.push_back(std::move(outbox_.front()));
  outbox_.pop_front();
  if (!ending_ && !outbox_.empty()) WriteFront();
}

void AttachCall::End(const absl::Status& status) {
  absl::MutexLock lock(&mutex_);
  if (std::exchange(ending_, true)) return;
  ++num_operations_;
  stream_.Finish(ToGrpcStatus(status), &finish_tag_);
}

}  // namespace quire
