#include "scheduler/engine/scheduler.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/log.h"
#include "common/prefetch.h"
#include "common/status_macros.h"
#include "scheduler/engine/in_flight_step.h"
#include "scheduler/engine/prefix_sharing.h"
#include "scheduler/engine/request_entry.h"
#include "scheduler/engine/swapping.h"
#include "scheduler/memory/capacity.h"
#include "scheduler/policy/drafting.h"
#include "scheduler/policy/order.h"
#include "scheduler/policy/preemption.h"
#include "scheduler/policy/work_rates.h"

namespace quire {
namespace {

// Steps that fail one after the other without a token gained, after which the
// request is at fault, or as good as: it would keep all others from theirs.
// Many, since it may have been in bad company.
constexpr uint32_t kMaxFailedSteps = 8;

// How far ahead of its turn in a loop the memory of a sequence is fetched.
constexpr size_t kPrefetchDistance = 4;

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
                                     .known_tokens = length},
                                    request.num_sequences));
    return waiting_.CheckRoom(length);
  }();
  if (!refusal.ok()) return Refuse(request, refusal);

  request.uses_prefix_cache &= options_.prefix_cache;
  const PlaceInOrder place = {
      .virtual_arrival =
          VirtualArrival(now, request.priority, options_.priority_head_start),
      .arrival = ++last_arrival_};
  auto owned = std::make_unique<RequestState>(
      std::move(request), place, [this] { return NextSequenceId(); }, now);
  RequestState& added = *owned;
  QUIRE_CHECK(requests_.emplace(added.id(), std::move(owned)).second);
  for (const auto& sequence : added.sequences()) {
    lanes_.Add({&added, sequence.get()});
  }
  deadlines_.Set(added.id(), added.deadline());
  if (group_ != nullptr && !deadlines_.empty()) {  // Else nobody asks.
    added.SetOwnRows(CountOwnRows(added, running_, waiting_, *group_));
  }
  waiting_.Insert(&added);
  if (added.deadline() == absl::InfiniteFuture()) return;
  CheckDeadline(added, waiting_.OwnRowsBefore(place), now);
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
    CheckDeadline(*requests_.at(deadlines_.next()), /*rows_ahead=*/0, now);
  }
}

// One that has run is let go on while its client waits. One that is alone is
// let try: that costs nobody anything, and rates that were wrong become right.
LeastWork Scheduler::LeastWorkOf(const RequestState& request,
                                 uint64_t rows_ahead) const {
  if (request.num_admissions() > 0 || num_open() == 1) return {};
  // The row of the last prompt token gives the first token; every step after
  // it one, and at best as many more as there are drafts.
  const uint32_t most_tokens = 1 + MostDraftsOf(request);
  return {.prompt_rows = rows_ahead + request.num_own_rows(),
          .decode_steps =
              (request.least_tokens() - 1 + most_tokens - 1) / most_tokens};
}

// In a step that is all its own.
uint32_t Scheduler::MostDraftsOf(const RequestState& request) const {
  if (group_ == nullptr || !request.takes_drafts()) return 0;
  return DraftsForEach({.num_rows = 1,
                        .num_sequences = 1,
                        .cheap_rows = group_->shape().cheap_rows,
                        .max_drafts = options_.draft_tokens});
}

// Closes the request, or has it looked at again when only its own work is too
// much for the time that is left.
void Scheduler::CheckDeadline(RequestState& request, uint64_t rows_ahead,
                              absl::Time now) {
  const absl::Time deadline = request.deadline();
  const LeastWork work = LeastWorkOf(request, rows_ahead);
  const WorkRates rates = group_ != nullptr ? group_->rates() : WorkRates();
  if (now >= deadline) {
    return Close(
        request, Outcome::kDeadline,
        absl::DeadlineExceededError("the request's deadline has passed"), now);
  }
  if (now >= LatestStart(deadline, work, rates)) {
    return Close(request, Outcome::kUnmeetable,
                 UnmeetableError(now, deadline, work, rates), now);
  }
  deadlines_.Set(request.id(),
                 LatestStart(deadline, LeastWorkOf(request, 0), rates));
}

void Scheduler::CloseAll(const absl::Status& reason, absl::Time now) {
  while (!requests_.empty()) {
    Close(*requests_.begin()->second, Outcome::kError, reason, now);
  }
}

void Scheduler::StopRunning(RequestState& request) {
  const auto place =
      std::lower_bound(running_.begin(), running_.end(), &request, ByPlace);
  QUIRE_CHECK(place != running_.end() && *place == &request);
  running_.erase(place);
  num_running_sequences_ -= request.most_sequences();
  // The last one first, so that what it alone holds is evicted first.
  for (auto i = request.sequences().rbegin(); i != request.sequences().rend();
       ++i) {
    builder_.Release(**i);
    (*i)->Leave();
  }
}

void Scheduler::EndSequence(Lane lane, FinishReason reason, absl::Time now) {
  auto [request, sequence] = lane;
  if (request->num_sequences() == 1) {
    return Close(
        *request,
        reason == FinishReason::kStop ? Outcome::kStop : Outcome::kLength,
        absl::OkStatus(), now);
  }
  builder_.Release(*sequence);
  lanes_.Remove(*sequence);
  const uint32_t before = request->most_sequences();
  request->EndSequence(*sequence);
  if (request->running()) {
    num_running_sequences_ -= before - request->most_sequences();
  }
}

void Scheduler::Close(RequestState& request, Outcome outcome,
                      absl::Status status, absl::Time now) {
  if (request.running()) {
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
  deadlines_.Remove(request.id());
  for (const auto& sequence : request.sequences()) {
    lanes_.Remove(*sequence);
  }
  requests_.erase(request.id());
}

// --- Epochs

void Scheduler::StartEpoch(std::unique_ptr<Group> group, absl::Time now) {
  QUIRE_CHECK(group_ == nullptr);
  group_ = std::move(group);
  had_epoch_ = true;
  const std::vector<RequestState*> requests(waiting_.begin(), waiting_.end());
  for (RequestState* request : requests) {
    absl::Status fits = CheckFits(request->LengthsOf(request->leader()),
                                  request->most_sequences());
    if (!fits.ok()) Close(*request, Outcome::kError, std::move(fits), now);
  }
}

void Scheduler::BlameStep(const absl::Status& failure, absl::Time now) {
  const std::deque<InFlightStep>& steps = group_->in_flight();
  const auto failed =
      std::find_if(steps.begin(), steps.end(),
                   [](const InFlightStep& step) { return !step.complete(); });
  if (failed == steps.end()) return;
  const RequestState* counted = nullptr;
  for (const Run& run : failed->runs()) {
    RequestState* const request = Find(run).request;
    // Its runs are neighbours.
    if (request == nullptr || request == counted) continue;
    counted = request;
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
    for (const auto& sequence : request->sequences()) sequence->Leave();
    waiting_.Insert(request);
  }
  running_.clear();
  num_running_sequences_ = 0;
  for (RequestState* request : waiting_) {
    for (const auto& sequence : request->sequences()) sequence->ForgetSwapped();
  }
  builder_.StartOver();
  group_.reset();
}

AdmissionPool Scheduler::DescribePool() const {
  return {.num_available = group_->pool().num_available(),
          .num_running = num_running_sequences_};
}

// Between epochs nobody knows, and all may hope.
absl::Status Scheduler::CheckFits(const SequenceLengths& sequence,
                                  uint32_t num_sequences) const {
  if (group_ == nullptr) return absl::OkStatus();
  const uint32_t most_sequences = StepRoom().sequences;
  if (num_sequences > most_sequences) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the request asks for ", num_sequences, " sequences; at most ",
        most_sequences, " run at the same time"));
  }
  return CheckFitsPool(sequence, num_sequences, group_->shape().block_size,
                       group_->pool().num_blocks());
}

// Those that run share every step, so there are never more than it has rows.
BatchRoom Scheduler::StepRoom() const {
  const uint32_t rows =
      std::min(options_.max_step_tokens, group_->shape().max_step_rows);
  return {.rows = rows,
          .sequences = std::min(options_.max_running_sequences, rows)};
}

// --- Plan

worker::v1::StepPlan* Scheduler::Plan(absl::Time now) {
  if (!CanPlan()) return nullptr;
  const bool found_all = ReserveForRunning();
  const BatchRoom room = PlanRunning();
  if (found_all) AdmitWaiting(room, now);
  if (builder_.runs().empty()) return nullptr;
  ObservePlan();
  auto [plan, runs] = builder_.Finish();
  group_->Enter(plan, std::move(runs), now);
  return &plan;
}

// Behind drafts nobody is planned, not even those that have none: they would
// ride in other steps than the drafted ones from then on.
bool Scheduler::CanPlan() const {
  return group_ != nullptr &&
         group_->in_flight().size() < options_.pipeline_depth &&
         std::ranges::none_of(group_->in_flight(), &InFlightStep::has_drafts);
}

// Sets planned_lanes_ and wanted_rows_: what each running sequence can use and
// has blocks for. Victims are behind the needy one, so none has had its turn
// yet. False: the pool had not enough for all, so nobody new may take from it.
bool Scheduler::ReserveForRunning() {
  bool found_all = true;
  uint32_t prompt_rows = StepRoom().rows;  // Dealt in this order.
  planned_lanes_.clear();
  wanted_rows_.clear();
  for (size_t i = 0; i < running_.size(); ++i) {
    PrefetchBehind(i);
    for (const auto& sequence : running_[i]->sequences()) {
      const Lane lane = {running_[i], sequence.get()};
      TryFork(lane);
      uint32_t rows = sequence->PlannableRows();
      if (rows > 1) {
        rows = std::min(rows, prompt_rows);
        prompt_rows -= rows;
      }
      while (rows > 0 && !sequence->ReserveRows(rows)) {
        found_all = false;
        if (!PreemptBehind(i, *sequence, rows)) rows = 0;
      }
      planned_lanes_.push_back(lane);
      wanted_rows_.push_back(rows);
    }
  }
  return found_all;
}

// Of the one after next, which tells where its sequence is; then that.
void Scheduler::PrefetchBehind(size_t i) const {
  const size_t next = i + kPrefetchDistance;
  const size_t after_next = next + kPrefetchDistance;
  if (after_next < running_.size()) Prefetch(running_[after_next]);
  if (next < running_.size()) Prefetch(&running_[next]->leader());
}

void Scheduler::TryFork(Lane lane) {
  if (!lane.sequence->awaiting()) return;
  lane.sequence->TryFork();
  if (lane.sequence->awaiting()) return;
  builder_.AddFork(*lane.sequence, *lane.sequence->parent(),
                   lane.request->sampling());
  lane.sequence->ForgetParent();
}

// So that `sequence` of running_[needy] can reserve `num_rows` more rows.
bool Scheduler::PreemptBehind(size_t needy, const Sequence& sequence,
                              uint32_t num_rows) {
  std::vector<PreemptionCandidate> candidates;
  for (const RequestState* request : running_) {
    candidates.push_back({.is_protected = request->is_protected(),
                          .num_blocks = request->num_blocks()});
  }
  const uint32_t num_needed =
      sequence.table().BlocksToReserve(sequence.planned() + num_rows);
  const std::vector<size_t> victims = ChooseVictims(
      candidates, needy, num_needed - group_->pool().num_available());
  for (const size_t victim : victims) Preempt(*running_[victim]);
  return !victims.empty();
}

void Scheduler::Preempt(RequestState& victim) {
  const Preemption kind =
      ChoosePreemption(options_.preemption, CostOf(victim, *group_),
                       group_->host_blocks().num_free(), group_->rates());
  if (kind == Preemption::kSwap) SwapOut(victim, *group_, builder_.swaps());
  StopRunning(victim);
  waiting_.Insert(&victim);
  victim.OnPreempted();
  metrics_->Preemptions(kind)->Increment();
}

BatchRoom Scheduler::PlanRunning() {
  BatchRoom left = DealRows(StepRoom(), wanted_rows_, granted_rows_);
  const uint32_t most_drafts = DraftsForEachRun();
  for (size_t i = 0; i < planned_lanes_.size(); ++i) {
    if (granted_rows_[i] == 0) continue;
    const std::span<const Token> drafts = GuessTokens(
        planned_lanes_[i], granted_rows_[i], std::min(most_drafts, left.rows));
    left.rows -= static_cast<uint32_t>(drafts.size());
    PlanRows(planned_lanes_[i], granted_rows_[i], drafts);
  }
  return left;
}

// Rows for those who wait come first.
uint32_t Scheduler::DraftsForEachRun() const {
  if (!waiting_.empty()) return 0;
  DraftRoom room = {.cheap_rows = group_->shape().cheap_rows,
                    .max_drafts = options_.draft_tokens};
  for (const uint32_t rows : granted_rows_) {
    room.num_rows += rows;
    room.num_sequences += rows > 0 ? 1 : 0;
  }
  return DraftsForEach(room);
}

// Behind `num_rows` rows; until the next call. As many as find room: a block is
// taken for them only while there is one left for all that run.
std::span<const Token> Scheduler::GuessTokens(Lane lane, uint32_t num_rows,
                                              uint32_t most_drafts) {
  const auto [request, sequence] = lane;
  if (most_drafts == 0 || !request->takes_drafts() || !sequence->may_guess() ||
      num_rows < sequence->PlannableRows()) {
    return {};
  }
  GuessFromText(sequence->tokens(), sequence->num_in_flight(),
                std::min(most_drafts, sequence->PlannableDrafts()), drafts_);
  const auto num_drafts = static_cast<uint32_t>(drafts_.size());
  const uint32_t end = sequence->planned() + num_rows;
  const uint32_t num_fit = sequence->table().capacity() - end;
  const bool may_reserve =
      group_->pool().num_available() > num_running_sequences_;
  if (num_drafts <= num_fit ||
      (may_reserve && sequence->ReserveRows(num_rows + num_drafts))) {
    return drafts_;
  }
  return std::span(drafts_).first(num_fit);
}

// A victim may have rows in a step that is in flight. It does not return before
// that step is committed: so all runs in flight of a running sequence belong to
// its present stay, and it returns with all its tokens.
bool Scheduler::HasRowsInFlight(const RequestState& request) const {
  if (request.num_preemptions() == 0) return false;
  return std::ranges::any_of(group_->in_flight(), [&](const auto& step) {
    return std::ranges::any_of(step.runs(), [&](const Run& run) {
      return Find(run).request == &request;
    });
  });
}

// Nobody overtakes one that waits for memory, so a long prompt is not starved
// by short ones behind it. One that waits for a prefix to be written is passed:
// it takes its turn as soon as that is done.
void Scheduler::AdmitWaiting(BatchRoom room, absl::Time now) {
  if (waiting_.empty()) return;
  PrefixWriters writers(running_, group_->shape().block_size);
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    RequestState& request = **next++;
    if (request.most_sequences() > std::min(room.rows, room.sequences)) return;
    if (HasRowsInFlight(request)) return;
    const PrefixToCome& to_come = request.prefix_to_come();
    const Lane writer = lanes_.Find(to_come.writer, to_come.lane);
    if (IsBeingWritten(to_come, writer.sequence)) continue;
    RequestEntry entry(
        &request,
        {.admission = options_.admission, .step_rows = StepRoom().rows},
        group_.get());
    request.WaitFor(writers.FindFor(request, entry.num_found()));
    if (to_come.num_slots > 0) continue;
    if (!CanAdmit(entry.Describe(), DescribePool())) return;
    Admit(request, entry, now);
    writers.Add(&request);
    Sequence& leader = request.leader();
    const uint32_t rows = std::min(leader.PlannableRows(), room.rows);
    PlanRows({&request, &leader}, rows);
    room.rows -= rows;
    room.sequences -= request.most_sequences();
  }
}

void Scheduler::Admit(RequestState& request, RequestEntry& entry,
                      absl::Time now) {
  if (request.num_admissions() == 0) {
    metrics_->queue_time->Observe(
        absl::ToDoubleSeconds(now - request.arrived()));
    if (request.reads_prefixes()) {
      metrics_->prefix_queries->Increment(request.prompt_length());
      metrics_->prefix_hits->Increment(entry.num_found());
    }
  }
  waiting_.Remove(&request);
  running_.insert(
      std::upper_bound(running_.begin(), running_.end(), &request, ByPlace),
      &request);
  num_running_sequences_ += request.most_sequences();
  entry.Enter(builder_.swaps());
}

void Scheduler::PlanRows(Lane lane, uint32_t num_rows,
                         std::span<const Token> drafts) {
  Run run =
      lane.sequence->PlanRows(num_rows, static_cast<uint32_t>(drafts.size()));
  const worker::v1::Sampling& sampling = lane.request->sampling();
  run.num_scored = lane.request->PromptScoresOf(*lane.sequence, run);
  run.num_top = sampling.top_logprobs();
  run.num_top_scored = sampling.top_prompt_logprobs();
  builder_.AddRun(*lane.sequence, sampling, run, drafts);
}

void Scheduler::ObservePlan() const {
  uint32_t num_rows = 0;
  uint32_t num_drafts = 0;
  bool has_prompt = false;
  bool has_decode = false;
  for (const Run& run : builder_.runs()) {
    has_prompt |= run.num_prompt_rows > 0;
    has_decode |= run.num_prompt_rows < run.num_rows - run.num_drafts;
    num_rows += run.num_rows;
    num_drafts += run.num_drafts;
  }
  metrics_->draft_tokens->Increment(num_drafts);
  metrics_->block_copies->Increment(builder_.num_copies());
  metrics_->blocks_swapped_out->Increment(builder_.swaps().num_out());
  metrics_->blocks_swapped_in->Increment(builder_.swaps().num_in());
  metrics_->block_evictions->Increment(group_->pool().TakeNumEvictions());
  metrics_->step_tokens->Observe(num_rows);
  metrics_->step_sequences->Observe(builder_.runs().size());
  if (has_prompt && has_decode) metrics_->mixed_steps->Increment();
}

// --- Commit

void Scheduler::Commit(absl::Time now) {
  QUIRE_CHECK(group_ != nullptr && group_->oldest_complete());
  const InFlightStep& step = group_->in_flight().front();
  CloseFailed(step, now);
  ResultReader outputs(step.result());
  CommitTally tally(metrics_, now);
  const std::span<const Run> runs = step.runs();
  for (size_t i = 0; i < runs.size(); ++i) {
    if (i + kPrefetchDistance < runs.size()) {
      lanes_.Prefetch(runs[i + kPrefetchDistance].lane);
    }
    CommitRun(runs[i], outputs, tally, now);
  }
  tally.Report();
  group_->PopOldest();
  metrics_->steps->Increment();
}

// Before anything of the step is taken: what is reported for them is nothing.
void Scheduler::CloseFailed(const InFlightStep& step, absl::Time now) {
  for (const uint64_t id : step.result().failed_sequences()) {
    const Run& run =
        *std::ranges::find(step.runs(), SequenceId(id), &Run::sequence);
    const auto [request, failed] = Find(run);
    if (request == nullptr) continue;
    const std::string reason =
        absl::StrCat("the model's logits for token ", failed->known(),
                     " of the request are not finite: nothing can be chosen");
    LogError(absl::StrCat(request->name(), ": ", reason));
    Close(*request, Outcome::kError, absl::InternalError(reason), now);
  }
}

void Scheduler::CommitRun(const Run& run, ResultReader& outputs,
                          CommitTally& tally, absl::Time now) {
  const Lane lane = Find(run);
  const uint32_t num_sampled = outputs.NumSampled(run);
  if (lane.request == nullptr) {
    outputs.Skip(run);
    return tally.AddDiscarded(num_sampled);
  }
  auto [request, sequence] = lane;
  const ClientOutput output(outbox_, request->mailbox().get());
  CommitRows(lane, run, num_sampled, tally);
  for (uint32_t i = 1; i <= run.num_scored; ++i) {
    TokenScores scores = outputs.NextPromptScores();
    const uint32_t position = run.position + i;
    scores.chosen.token = sequence->tokens()[position];
    request->AddPromptScores(position, std::move(scores), output);
  }
  uint32_t i = 0;
  for (; i < num_sampled && Find(run).request != nullptr; ++i) {
    if (i > 0) CommitRightDraft(lane, tally);
    CommitToken(lane, run.known_end() + i, outputs.NextSampled(), tally, now);
  }
  tally.AddDiscarded(num_sampled - i);  // It has ended.
  for (; i < num_sampled; ++i) outputs.NextSampled();
}

// What the ranks wrote for a sequence that has left them since is lost.
void Scheduler::CommitRows(Lane lane, const Run& run, uint32_t num_sampled,
                           CommitTally& tally) {
  if (lane.sequence->parked()) return;
  const uint32_t num_right_drafts = num_sampled > 0 ? num_sampled - 1 : 0;
  tally.AddRows(run.num_prompt_rows,
                lane.sequence->CommitRows(run, num_right_drafts));
  PublishPrefix(*lane.request, *lane.sequence, *group_);
}

// Its row was committed before its token was known.
void Scheduler::CommitRightDraft(Lane lane, CommitTally& tally) {
  tally.AddRightDraft();
  if (lane.sequence->parked()) return;
  PublishPrefix(*lane.request, *lane.sequence, *group_);
}

void Scheduler::CommitToken(Lane lane, uint32_t position, TokenScores scores,
                            CommitTally& tally, absl::Time now) {
  auto [request, sequence] = lane;
  if (position != sequence->known()) return tally.AddDiscarded();
  const ClientOutput output(outbox_, request->mailbox().get());
  const absl::Time previous = sequence->last_token_time();
  const SequenceChanges changes =
      request->Continue(*sequence, std::move(scores), now, output);
  if (changes.num_gained > 0) {
    tally.AddGenerated(changes.num_gained, previous, request->arrived());
  }
  Apply(changes, *request, now);
}

// Branches take over from those that end before anybody else can ask for a
// block; in kWorstCase the request has as many again in the end.
void Scheduler::Apply(const SequenceChanges& changes, RequestState& request,
                      absl::Time now) {
  if (changes.branches.empty() && changes.ended.empty()) return;
  std::vector<Sequence*> begun;
  for (const Branch& branch : changes.branches) {
    Sequence& sequence = request.AddBranch(branch, NextSequenceId());
    lanes_.Add({&request, &sequence});
    begun.push_back(&sequence);
    if (sequence.parked()) continue;
    builder_.AddFork(sequence, *branch.parent, request.sampling());
  }
  for (Sequence* const sequence : changes.ended) {
    EndSequence({&request, sequence}, changes.reason, now);
  }
  if (begun.empty()) return;  // The request may be gone with its last sequence.
  if (request.admission_mode() != AdmissionMode::kWorstCase) return;
  for (Sequence* const sequence : begun) {
    if (sequence->parked()) continue;
    QUIRE_CHECK(sequence->table().Reserve(sequence->last_slots()));
  }
}

}  // namespace quire
