#include "scheduler/frontend/generate_reactor.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/grpc_status.h"
#include "scheduler/frontend/generate_responses.h"
#include "scheduler/frontend/retry_hint.h"

namespace quire {
namespace {

// While no more are open the engine thread starts their writes itself: the next
// plan is on its way by then, and to wake another thread for each token takes
// as much of the processors' time as the write.
constexpr uint32_t kFewCalls = 4;

absl::Time DeadlineOf(const grpc::CallbackServerContext& context) {
  const std::chrono::system_clock::time_point deadline = context.deadline();
  if (deadline == std::chrono::system_clock::time_point::max())
    return absl::InfiniteFuture();
  return absl::FromChrono(deadline);
}

}  // namespace

GenerateReactor* GenerateReactor::Start(const GenerateEnvironment* environment,
                                        RequestId id, uint64_t random_seed,
                                        const v1::GenerateRequest* request,
                                        grpc::CallbackServerContext* context) {
  std::shared_ptr<GenerateReactor> reactor(
      new GenerateReactor(environment, id, request, context));
  reactor->self_ = reactor;
  reactor->Begin(random_seed);
  // gRPC calls OnDone only after it has been handed the reactor.
  return reactor.get();
}

GenerateReactor::GenerateReactor(const GenerateEnvironment* environment,
                                 RequestId id,
                                 const v1::GenerateRequest* request,
                                 grpc::CallbackServerContext* context)
    : environment_(*environment),
      id_(id),
      request_(*request),
      context_(*context) {}

void GenerateReactor::Begin(uint64_t random_seed) {
  const absl::Status entered = environment_.open_calls->Enter();
  entered_ = entered.ok();
  if (!entered_) return FinishWith(entered);
  absl::StatusOr<GenerationRequest> resolved =
      environment_.builder->Resolve(request_, random_seed);
  if (!resolved.ok()) return FinishWith(resolved.status());
  resolved_ = *std::move(resolved);
  const absl::Status accepted = environment_.tokenize_pool->Run(
      RequestBuilder::NumTextBytes(request_),
      [self = shared_from_this()] { self->EncodeAndSubmit(); });
  if (!accepted.ok()) FinishWith(accepted);
}

void GenerateReactor::EncodeAndSubmit() {
  if (IsCancelled()) return FinishWith(absl::CancelledError());
  const absl::Status encoded =
      environment_.builder->Encode(request_, &resolved_);
  if (!encoded.ok()) return FinishWith(encoded);
  Submit();
  WriteNext();
}

void GenerateReactor::Submit() {
  mailbox_ = std::make_shared<Mailbox>([weak = weak_from_this()] {
    if (const std::shared_ptr<GenerateReactor> self = weak.lock()) self->Wake();
  });
  resolved_.id = id_;
  if (resolved_.name.empty())
    resolved_.name = absl::StrCat("request-", id_.value());
  resolved_.deadline = DeadlineOf(context_);
  resolved_.mailbox = mailbox_;
  environment_.engine->Submit(std::move(resolved_));
  absl::MutexLock lock(&mutex_);
  submitted_ = true;
}

void GenerateReactor::WriteNext() {
  if (outbox_.empty() && !closed_ && !TakeMail()) return;
  if (IsCancelled()) {
    CancelInEngine();
    return FinishWith(absl::CancelledError());
  }
  if (outbox_.empty()) return FinishWith(final_status_);
  // A failure follows its last message on its own: sent together, the status
  // could overtake it.
  if (closed_ && final_status_.ok() && outbox_.size() == 1) return WriteLast();
  StartWrite(&outbox_.front());
}

bool GenerateReactor::TakeMail() {
  Mailbox::Contents contents;
  {
    // Under the lock, or a Wake between the look and giving the turn back would
    // be lost.
    absl::MutexLock lock(&mutex_);
    if (cancelled_) return true;  // Nobody will read it.
    contents = mailbox_->TakeAll();
    if (contents.empty()) {
      busy_ = false;
      return false;
    }
  }
  closed_ = contents.closed;
  final_status_ = contents.status;
  outbox_ = ToResponses(std::move(contents));
  return true;
}

void GenerateReactor::FinishWith(const absl::Status& status) {
  MarkFinished();
  AddRetryHint(status, &context_);
  Finish(ToGrpcStatus(status));
}

void GenerateReactor::WriteLast() {
  MarkFinished();
  StartWriteAndFinish(&outbox_.front(), grpc::WriteOptions(), grpc::Status::OK);
}

void GenerateReactor::OnWriteDone(bool ok) {
  if (!ok) {
    absl::MutexLock lock(&mutex_);
    cancelled_ = true;
  }
  outbox_.pop_front();
  WriteNext();
}

void GenerateReactor::OnCancel() {
  bool has_turn = false;
  {
    absl::MutexLock lock(&mutex_);
    if (finished_) return;
    cancelled_ = true;
    has_turn = !std::exchange(busy_, true);
  }
  CancelInEngine();
  if (has_turn) FinishWith(absl::CancelledError());
}

void GenerateReactor::OnDone() {
  if (entered_) environment_.open_calls->Leave();
  // Deletes this object, unless the engine thread is about to find out that it
  // is finished.
  const std::shared_ptr<GenerateReactor> self = std::move(self_);
}

void GenerateReactor::Wake() {
  {
    // A call that is not finished keeps the server, and so the environment,
    // alive; the lock keeps it from finishing.
    absl::MutexLock lock(&mutex_);
    if (finished_ || busy_) return;
    busy_ = true;
    if (environment_.open_calls->num_open() > kFewCalls) {
      const bool accepted = environment_.delivery->TryRun(
          [self = shared_from_this()] { self->WriteNext(); });
      QUIRE_CHECK(accepted);
      return;
    }
  }
  WriteNext();
}

void GenerateReactor::CancelInEngine() {
  {
    absl::MutexLock lock(&mutex_);
    if (!submitted_ || std::exchange(told_engine_, true)) return;
  }
  environment_.engine->Cancel(id_);
}

bool GenerateReactor::IsCancelled() {
  absl::MutexLock lock(&mutex_);
  return cancelled_;
}

void GenerateReactor::MarkFinished() {
  absl::MutexLock lock(&mutex_);
  finished_ = true;
}

}  // namespace quire
