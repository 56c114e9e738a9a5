#include "tests/scheduler/cluster/puppet_worker.h"

#include "common/message_limits.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"
#include "gtest/gtest.h"

namespace quire::testing {
namespace {

using worker::v1::SchedulerMessage;
using worker::v1::WorkerMessage;
using worker::v1::WorkerService;

std::shared_ptr<grpc::Channel> Dial(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  // The scheduler may be about to open its port.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 50);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(),
                                   arguments);
}

}  // namespace

PuppetWorker::PuppetWorker(const std::string& address,
                           const std::string& fingerprint)
    : stub_(WorkerService::NewStub(Dial(address))), fingerprint_(fingerprint) {
  context_.set_wait_for_ready(true);
  stream_ = stub_->Attach(&context_);
}

void PuppetWorker::SayHello(uint32_t rank, uint32_t world_size) {
  WorkerMessage message;
  auto& hello = *message.mutable_hello();
  hello.set_protocol_version(1);
  hello.set_model_fingerprint(fingerprint_);
  hello.set_rank(rank);
  hello.set_world_size(world_size);
  hello.set_kv_dtype("f32");
  hello.set_compute("f32");
  hello.set_instruction_set("scalar");
  hello.set_bytes_per_slot(1);
  hello.set_kv_cache_bytes(1'024);
  hello.set_communicator("shm");
  hello.set_rendezvous("unix:@quire-5");
  stream_->Write(message);
}

void PuppetWorker::SayReady(uint64_t epoch) {
  WorkerMessage message;
  message.mutable_ready()->set_epoch(epoch);
  stream_->Write(message);
}

uint64_t PuppetWorker::Attach() {
  SayHello(/*rank=*/0, /*world_size=*/1);
  const uint64_t epoch = Receive().welcome().epoch();
  SayReady(epoch);
  return epoch;
}

SchedulerMessage PuppetWorker::Receive() {
  SchedulerMessage message;
  EXPECT_TRUE(stream_->Read(&message)) << stream_->Finish().error_message();
  return message;
}

void PuppetWorker::Answer(const worker::v1::StepPlan& plan, int32_t token) {
  WorkerMessage message;
  auto& result = *message.mutable_result();
  result.set_epoch(plan.epoch());
  result.set_step_id(plan.step_id());
  const worker::v1::Runs& runs = plan.runs();
  for (int i = 0; i < runs.sequence_size(); ++i) {
    if (runs.samples(i) == 0) continue;
    result.mutable_sampled()->add_sequence(runs.sequence(i));
    result.mutable_sampled()->add_position(runs.position(i) + runs.num_rows(i));
    result.mutable_sampled()->add_token(token);
    result.mutable_sampled()->add_logprob(-1);
    result.mutable_sampled()->add_num_top(0);
  }
  stream_->Write(message);
}

grpc::Status PuppetWorker::AwaitEnd() {
  SchedulerMessage message;
  while (stream_->Read(&message)) {
  }
  return stream_->Finish();
}

void PuppetWorker::Die() {
  context_.TryCancel();
  stream_->Finish();
}

}  // namespace quire::testing
