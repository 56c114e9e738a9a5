#include "worker/link/scheduler_link.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ids.h"
#include "common/log.h"
#include "common/message_limits.h"
#include "common/status_macros.h"
#include "common/strings.h"
#include "quire/worker/v1/plan.pb.h"
#include "quire/worker/v1/result.pb.h"

namespace quire {
namespace {

using worker::v1::SchedulerMessage;
using worker::v1::StepPlan;
using worker::v1::StepResult;
using worker::v1::WorkerMessage;
using worker::v1::WorkerService;

// A fresh channel for each attempt, sharing nothing with the one before: gRPC
// would otherwise refuse to dial until a back-off of its own is over.
std::shared_ptr<grpc::Channel> Dial(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  // An idle scheduler sends nothing for hours.
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetMaxSendMessageSize(kMaxMessageBytes);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(),
                                   arguments);
}

absl::Status ToStatus(const grpc::Status& status) {
  if (status.ok()) return absl::UnavailableError("the stream ended");
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                      status.error_message());
}

}  // namespace

SchedulerLink::SchedulerLink(const SchedulerLinkOptions& options,
                             worker::v1::Hello hello, Executor* executor)
    : options_(options),
      hello_(std::move(hello)),
      executor_(executor),
      backoff_(options.redial, options.jitter_seed) {}

void SchedulerLink::Run() {
  while (Open(/*context=*/nullptr)) Pause(Attach());
}

void SchedulerLink::Stop() {
  absl::MutexLock lock(&mutex_);
  is_stopped_ = true;
  if (context_ != nullptr) context_->TryCancel();
}

bool SchedulerLink::Open(grpc::ClientContext* context) {
  absl::MutexLock lock(&mutex_);
  if (!is_stopped_) context_ = context;
  return !is_stopped_;
}

void SchedulerLink::Close() {
  absl::MutexLock lock(&mutex_);
  context_ = nullptr;
}

AttachEnding SchedulerLink::Attach() {
  AttachEnding ending;
  grpc::ClientContext context;
  if (!Open(&context)) return ending;
  const auto stub = WorkerService::NewStub(Dial(options_.address));
  const std::unique_ptr<Stream> stream = stub->Attach(&context);
  const absl::Status own = Serve(stream.get(), &ending.was_attached);
  executor_->End();
  if (!own.ok()) context.TryCancel();
  // The status comes after all messages, which no one wants any more.
  for (SchedulerMessage unread; stream->Read(&unread);) continue;
  const absl::Status theirs = ToStatus(stream->Finish());
  ending.is_own = !own.ok();
  ending.status = ending.is_own ? own : theirs;
  Close();
  return ending;
}

absl::Status SchedulerLink::Serve(Stream* stream, bool* is_attached) {
  QUIRE_RETURN_IF_ERROR(ShakeHands(stream, is_attached));
  return *is_attached ? AnswerPlans(stream) : absl::OkStatus();
}

absl::Status SchedulerLink::ShakeHands(Stream* stream, bool* is_attached) {
  WorkerMessage out;
  SchedulerMessage in;
  *out.mutable_hello() = hello_;
  if (!stream->Write(out) || !stream->Read(&in)) return absl::OkStatus();
  if (!in.has_welcome()) {
    return absl::FailedPreconditionError(
        "the scheduler did not answer Hello with Welcome");
  }
  const worker::v1::Welcome& welcome = in.welcome();
  QUIRE_RETURN_IF_ERROR(
      executor_->Begin({.epoch = Epoch(welcome.epoch()),
                        .block_size = welcome.block_size(),
                        .num_blocks = welcome.num_blocks(),
                        .max_step_rows = welcome.max_step_rows(),
                        .num_host_blocks = welcome.num_host_blocks(),
                        .rendezvous = welcome.rendezvous()}));
  out.mutable_ready()->set_epoch(welcome.epoch());
  if (!stream->Write(out)) return absl::OkStatus();
  *is_attached = true;
  last_trouble_.clear();
  backoff_.Reset();
  // deploy/local/up looks for the first words.
  LogInfo(absl::StrCat(
      "attached to the scheduler at ", options_.address, ": epoch ",
      welcome.epoch(), ", ", welcome.num_blocks(), " blocks and ",
      welcome.num_host_blocks(), " host blocks of ", welcome.block_size(),
      " slots, steps of up to ", welcome.max_step_rows(), " rows"));
  return absl::OkStatus();
}

absl::Status SchedulerLink::AnswerPlans(Stream* stream) {
  // Reused, so that a step does not allocate them anew.
  WorkerMessage out;
  SchedulerMessage in;
  while (stream->Read(&in)) {
    if (!in.has_plan()) {
      return absl::FailedPreconditionError(
          "the scheduler sent something else than a plan");
    }
    Answer(in.plan(), out.mutable_result());
    if (!stream->Write(out)) break;
  }
  return absl::OkStatus();
}

void SchedulerLink::Answer(const StepPlan& plan, StepResult* result) {
  const absl::Status status = executor_->Execute(plan, result);
  if (status.ok()) return;
  LogError(absl::StrCat("step ", plan.step_id(), " of epoch ", plan.epoch(),
                        " failed: ", status.ToString()));
  result->Clear();
  result->set_step_id(plan.step_id());
  result->set_epoch(plan.epoch());
  result->set_status_code(static_cast<uint32_t>(status.code()));
  result->set_status_message(std::string(ToStd(status.message())));
}

void SchedulerLink::Pause(const AttachEnding& ending) {
  const absl::Duration pause =
      IsRefusal(ending) ? backoff_.NextLongest() : backoff_.Next();
  absl::MutexLock lock(&mutex_);
  if (is_stopped_) return;
  const std::string trouble = DescribeEnding(ending, options_.address);
  if (std::exchange(last_trouble_, trouble) != trouble) {
    LogWarning(trouble + "; dialling again");
  }
  mutex_.AwaitWithTimeout(absl::Condition(&is_stopped_), pause);
}

}  // namespace quire
