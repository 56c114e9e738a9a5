#include "tests/worker/link/scripted_scheduler.h"

#include <utility>

#include "absl/strings/match.h"
#include "common/check.h"
#include "common/message_limits.h"

namespace quire::testing {

using worker::v1::SchedulerMessage;
using worker::v1::StepPlan;
using worker::v1::WorkerMessage;

WorkerMessage AttachPuppet::Read() {
  WorkerMessage message;
  return stream_->Read(&message) ? message : WorkerMessage();
}

bool AttachPuppet::Welcome(uint64_t epoch, uint32_t block_size,
                           uint32_t num_blocks, uint32_t max_step_rows,
                           uint32_t num_host_blocks) {
  SchedulerMessage message;
  message.mutable_welcome()->set_epoch(epoch);
  message.mutable_welcome()->set_block_size(block_size);
  message.mutable_welcome()->set_num_blocks(num_blocks);
  message.mutable_welcome()->set_max_step_rows(max_step_rows);
  message.mutable_welcome()->set_num_host_blocks(num_host_blocks);
  return stream_->Write(message);
}

bool AttachPuppet::Send(const StepPlan& plan) {
  SchedulerMessage message;
  *message.mutable_plan() = plan;
  return stream_->Write(message);
}

ScriptedScheduler::ScriptedScheduler(const std::string& address,
                                     std::vector<Script> scripts)
    : scripts_(std::move(scripts)), address_(address) {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.SetMaxSendMessageSize(kMaxMessageBytes);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  QUIRE_CHECK(server_ != nullptr);
  if (!absl::StartsWith(address, "unix:")) {
    address_ = "127.0.0.1:" + std::to_string(port);
  }
}

ScriptedScheduler::~ScriptedScheduler() { server_->Shutdown(); }

grpc::Status ScriptedScheduler::Attach(grpc::ServerContext* context,
                                       AttachPuppet::Stream* stream) {
  size_t index;
  {
    absl::MutexLock lock(&mutex_);
    index = num_attached_++;
  }
  if (index >= scripts_.size()) {
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "the play is over");
  }
  AttachPuppet worker(stream);
  const grpc::Status status = scripts_[index](&worker);
  if (index + 1 == scripts_.size()) end_.Notify();
  return status;
}

}  // namespace quire::testing
