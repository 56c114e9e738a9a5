#include "scheduler/engine/scheduler.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/log.h"
#include "common/status_macros.h"
#include "scheduler/engine/in_flight_step.h"
#include "scheduler/policy/order.h"
#include "scheduler/policy/preemption.h"

namespace quire {
namespace {

// Steps that fail one after the other without a token gained, after which the
// request is at fault, or as good as: it would keep all others from theirs.
// Many, since it may have been in bad company.
constexpr uint32_t kMaxFailedSteps = 8;

bool ByPlace(const RequestState* a, const RequestState* b) {
  return ServedBefore(a->place(), b->place());
}

}  // namespace

Scheduler::Scheduler(const EngineOptions& options, const EngineMetrics* metrics,
                     Outbox* outbox)
    : options_(options),
      metrics_(metrics),
      outbox_(outbox),
      waiting_(options.max_waiting_requests, options.max_waiting_tokens) {}

// --- Requests

void Scheduler::Submit(GenerationRequest request, absl::Time now) {
  const absl::Status refusal = [&] {
    if (!had_epoch_) return absl::UnavailableError("no worker is attached");
    const uint32_t length = static_cast<uint32_t>(request.prompt.size());
    QUIRE_RETURN_IF_ERROR(CheckFits({.prompt_tokens = length,
                                     .max_tokens = request.max_tokens,
                                     .known_tokens = length}));
    return waiting_.CheckRoom(length);
  }();
  if (!refusal.ok()) return Refuse(request, refusal);

  ++last_place_.arrival;
  last_sequence_ = last_sequence_.Next();
  auto owned = std::make_unique<RequestState>(std::move(request), last_place_,
                                              last_sequence_, now);
  RequestState& added = *owned;
  QUIRE_CHECK(requests_.emplace(added.id(), std::move(owned)).second);
  by_sequence_.emplace(added.sequence().id(), &added);
  if (added.deadline() != absl::InfiniteFuture()) {
    deadlines_.emplace(added.deadline(), added.id());
  }
  waiting_.Insert(&added);
}

void Scheduler::Refuse(const GenerationRequest& request, absl::Status reason) {
  metrics_->Requests(Outcome::kRefused)->Increment();
  const uint32_t length = static_cast<uint32_t>(request.prompt.size());
  outbox_->Close(request.mailbox, std::move(reason), {.prompt_tokens = length});
}

void Scheduler::Cancel(RequestId id, absl::Time now) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;
  Close(*found->second, Outcome::kCancelled,
        absl::CancelledError("the request was cancelled"), now);
}

void Scheduler::CloseExpired(absl::Time now) {
  while (next_deadline() <= now) {
    Close(*requests_.at(deadlines_.begin()->second), Outcome::kDeadline,
          absl::DeadlineExceededError("the request's deadline has passed"),
          now);
  }
}

void Scheduler::CloseAll(const absl::Status& reason, absl::Time now) {
  while (!requests_.empty()) {
    Close(*requests_.begin()->second, Outcome::kError, reason, now);
  }
}

absl::Time Scheduler::next_deadline() const {
  return deadlines_.empty() ? absl::InfiniteFuture()
                            : deadlines_.begin()->first;
}

RequestState* Scheduler::Find(SequenceId sequence) const {
  const auto found = by_sequence_.find(sequence);
  return found == by_sequence_.end() ? nullptr : found->second;
}

void Scheduler::StopRunning(RequestState& request) {
  const auto place =
      std::lower_bound(running_.begin(), running_.end(), &request, ByPlace);
  QUIRE_CHECK(place != running_.end() && *place == &request);
  running_.erase(place);
  request.sequence().Leave();
  builder_.Release(request.sequence().id());
}

void Scheduler::Close(RequestState& request, Outcome outcome,
                      absl::Status status, absl::Time now) {
  if (request.sequence().resident()) {
    StopRunning(request);
  } else {
    waiting_.Remove(&request);
  }
  metrics_->Requests(outcome)->Increment();
  if (status.ok()) {
    metrics_->request_duration->Observe(
        absl::ToDoubleSeconds(now - request.arrived()));
  }
  outbox_->Close(request.mailbox(), std::move(status), request.usage());
  deadlines_.erase({request.deadline(), request.id()});
  by_sequence_.erase(request.sequence().id());
  requests_.erase(request.id());
}

// --- Epochs

void Scheduler::StartEpoch(std::unique_ptr<Group> group, absl::Time now) {
  QUIRE_CHECK(group_ == nullptr);
  group_ = std::move(group);
  had_epoch_ = true;
  const std::vector<RequestState*> requests(waiting_.begin(), waiting_.end());
  for (RequestState* request : requests) {
    absl::Status fits = CheckFits(request->admission());
    if (!fits.ok()) Close(*request, Outcome::kError, std::move(fits), now);
  }
}

void Scheduler::BlameStep(const absl::Status& failure, absl::Time now) {
  const std::deque<InFlightStep>& steps = group_->in_flight();
  const auto failed =
      std::find_if(steps.begin(), steps.end(),
                   [](const InFlightStep& step) { return !step.complete(); });
  if (failed == steps.end()) return;
  for (const Run& run : failed->runs()) {
    RequestState* const request = Find(run.sequence);
    if (request == nullptr) continue;
    request->OnFailedStep();
    if (request->num_failed_steps() < kMaxFailedSteps) continue;
    Close(*request, Outcome::kError,
          absl::InternalError(absl::StrCat(
              "the last ", kMaxFailedSteps,
              " steps of this request have failed: ", failure.message())),
          now);
  }
}

void Scheduler::EndEpoch() {
  for (RequestState* request : running_) {
    request->sequence().Leave();
    waiting_.Insert(request);
  }
  running_.clear();
  builder_.ForgetReleases();
  group_.reset();
}

AdmissionPool Scheduler::DescribePool() const {
  return {.block_size = group_->shape().block_size,
          .num_blocks = group_->pool().num_blocks(),
          .num_free = group_->pool().num_free(),
          .num_running = static_cast<uint32_t>(running_.size())};
}

// Between epochs nobody knows, and all may hope.
absl::Status Scheduler::CheckFits(const AdmissionRequest& request) const {
  if (group_ == nullptr) return absl::OkStatus();
  const AdmissionPool pool = DescribePool();
  return DecideAdmission(request, pool) == Admission::kNever
             ? NeverFitsError(request, pool)
             : absl::OkStatus();
}

// --- Plan

worker::v1::StepPlan* Scheduler::Plan(absl::Time now) {
  if (group_ == nullptr ||
      group_->in_flight().size() >= options_.pipeline_depth) {
    return nullptr;
  }
  builder_.Begin();
  const bool preempted = ReserveForRunning();
  const BatchRoom room = PlanRunning();
  // A victim may have a row in the step that is in flight. It does not return
  // before the next plan, when that step is committed: so all runs in flight of
  // a running sequence belong to its present stay, and it returns with all its
  // tokens.
  if (!preempted) AdmitWaiting(room, now);
  if (builder_.runs().empty()) return nullptr;
  ObservePlan();
  worker::v1::StepPlan& plan = builder_.Finish();
  group_->Enter(plan, builder_.TakeRuns(), now);
  return &plan;
}

// Sets wanted_rows_: what each running sequence can use and has blocks for.
// Returns whether a request was preempted. Victims are behind the needy one, so
// none has had its turn yet.
bool Scheduler::ReserveForRunning() {
  bool preempted = false;
  wanted_rows_.clear();
  for (size_t i = 0; i < running_.size(); ++i) {
    Sequence& sequence = running_[i]->sequence();
    uint32_t rows = sequence.PlannableRows();
    while (rows > 0 && !sequence.Reserve(rows)) {
      if (PreemptBehind(i)) {
        preempted = true;
      } else {
        rows = 0;
      }
    }
    wanted_rows_.push_back(rows);
  }
  return preempted;
}

bool Scheduler::PreemptBehind(size_t needy) {
  std::vector<PreemptionCandidate> candidates;
  for (const RequestState* request : running_) {
    candidates.push_back({.reached_checkpoint = request->reached_checkpoint()});
  }
  const std::optional<size_t> choice = ChooseVictim(candidates, needy);
  if (!choice.has_value()) return false;
  RequestState& victim = *running_[*choice];
  StopRunning(victim);
  waiting_.Insert(&victim);
  victim.OnPreempted();
  metrics_->preemptions->Increment();
  return true;
}

BatchRoom Scheduler::PlanRunning() {
  const BatchRoom room = {
      .rows = std::min(options_.max_step_tokens, group_->shape().max_step_rows),
      .sequences = options_.max_running_sequences};
  const BatchRoom left = DealRows(room, wanted_rows_, granted_rows_);
  for (size_t i = 0; i < running_.size(); ++i) {
    if (granted_rows_[i] > 0) PlanRows(*running_[i], granted_rows_[i]);
  }
  return left;
}

// Nobody overtakes the head of the queue, so a long prompt is not starved by
// short ones behind it.
void Scheduler::AdmitWaiting(BatchRoom room, absl::Time now) {
  while (!waiting_.empty() && room.rows > 0 && room.sequences > 0) {
    RequestState& head = *waiting_.head();
    if (DecideAdmission(head.admission(), DescribePool()) != Admission::kNow) {
      return;
    }
    Admit(head, now);
    const uint32_t rows = std::min(head.sequence().PlannableRows(), room.rows);
    PlanRows(head, rows);
    room.rows -= rows;
    --room.sequences;
  }
}

void Scheduler::Admit(RequestState& request, absl::Time now) {
  if (request.num_admissions() == 0) {
    metrics_->queue_time->Observe(
        absl::ToDoubleSeconds(now - request.arrived()));
  }
  waiting_.Remove(&request);
  running_.insert(
      std::upper_bound(running_.begin(), running_.end(), &request, ByPlace),
      &request);
  request.sequence().Enter(&group_->pool(), group_->shape().block_size,
                           SlotsAtAdmission(request.admission()));
  request.OnAdmitted();
  builder_.AddSequence(request.sequence(), request.sampling());
}

void Scheduler::PlanRows(RequestState& request, uint32_t num_rows) {
  Run run = request.sequence().PlanRows(num_rows);
  run.num_scored = request.PromptScoresOf(run);
  run.num_top = request.sampling().top_logprobs();
  run.num_top_scored = request.sampling().top_prompt_logprobs();
  builder_.AddRun(request.sequence(), run);
}

void Scheduler::ObservePlan() const {
  uint32_t num_rows = 0;
  bool has_prompt = false;
  bool has_decode = false;
  for (const Run& run : builder_.runs()) {
    has_prompt |= run.num_prompt_rows > 0;
    has_decode |= run.num_prompt_rows < run.num_rows;
    num_rows += run.num_rows;
  }
  metrics_->step_tokens->Observe(num_rows);
  metrics_->step_sequences->Observe(builder_.runs().size());
  if (has_prompt && has_decode) metrics_->mixed_steps->Increment();
}

// --- Commit

void Scheduler::Commit(absl::Time now) {
  QUIRE_CHECK(group_ != nullptr && group_->oldest_complete());
  const InFlightStep& step = group_->in_flight().front();
  CloseFailed(step.result(), now);
  ResultReader outputs(step.result());
  for (const Run& run : step.runs()) CommitRun(run, outputs, now);
  group_->PopOldest();
  metrics_->steps->Increment();
}

// Before anything of the step is taken: what is reported for them is nothing.
void Scheduler::CloseFailed(const worker::v1::StepResult& result,
                            absl::Time now) {
  for (const uint64_t sequence : result.failed_sequences()) {
    RequestState* const request = Find(SequenceId(sequence));
    if (request == nullptr) continue;
    const std::string reason = absl::StrCat(
        "the model's logits for token ", request->sequence().known(),
        " of the request are not finite: nothing can be chosen");
    LogError(absl::StrCat(request->name(), ": ", reason));
    Close(*request, Outcome::kError, absl::InternalError(reason), now);
  }
}

void Scheduler::CommitRun(const Run& run, ResultReader& outputs,
                          absl::Time now) {
  RequestState* const request = Find(run.sequence);
  if (request != nullptr) CommitRows(*request, run);
  for (uint32_t i = 1; i <= run.num_scored; ++i) {
    TokenScores scores = outputs.NextPromptScores();
    if (request == nullptr) continue;
    const uint32_t position = run.position + i;
    scores.chosen.token = request->sequence().tokens()[position];
    request->AddPromptScores(position, std::move(scores));
  }
  FinishReason end = FinishReason::kNone;
  if (run.samples) {
    TokenScores scores = outputs.NextSampled();
    if (request != nullptr && run.end() == request->sequence().known()) {
      end = CommitToken(*request, std::move(scores), now);
    } else {
      metrics_->discarded_tokens->Increment();
    }
  }
  if (request == nullptr) return;
  if (request->has_delta()) {
    outbox_->Append(request->mailbox(), request->TakeDelta());
  }
  if (end == FinishReason::kNone) return;
  Close(*request,
        end == FinishReason::kStop ? Outcome::kStop : Outcome::kLength,
        absl::OkStatus(), now);
}

// What the ranks wrote for a sequence that has left them since is lost.
void Scheduler::CommitRows(RequestState& request, const Run& run) {
  if (!request.sequence().resident()) return;
  request.sequence().CommitRows(run);
  metrics_->prompt_tokens->Increment(run.num_prompt_rows);
}

FinishReason Scheduler::CommitToken(RequestState& request, TokenScores scores,
                                    absl::Time now) {
  metrics_->generated_tokens->Increment();
  if (request.sequence().num_generated() == 0) {
    metrics_->time_to_first_token->Observe(
        absl::ToDoubleSeconds(now - request.arrived()));
  } else {
    metrics_->time_between_tokens->Observe(
        absl::ToDoubleSeconds(now - request.last_token()));
  }
  return request.AppendToken(std::move(scores), now);
}

}  // namespace quire
