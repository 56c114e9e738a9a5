#include "scheduler/engine/engine_loop.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "common/check.h"
#include "common/log.h"
#include "scheduler/engine/consistency.h"
#include "scheduler/engine/scheduler_view.h"

namespace quire {
namespace {

// Between two updates of the gauges while there is work.
constexpr absl::Duration kShowInterval = absl::Seconds(1);

absl::Status ShuttingDown() {
  return absl::UnavailableError("the scheduler is shutting down");
}

void ObserveNanoseconds(prometheus::Histogram* histogram, uint64_t ns) {
  histogram->Observe(static_cast<double>(ns) * 1e-9);
}

}  // namespace

EngineLoop::EngineLoop(const EngineOptions& options, const Clock* clock,
                       MetricRegistry* metrics, Inbox<EngineEvent>* inbox)
    : options_(options),
      clock_(clock),
      inbox_(inbox),
      metrics_(metrics),
      scheduler_(options, &metrics_, &outbox_) {
  QUIRE_CHECK(options.Validate().ok());
}

bool EngineLoop::Turn() {
  bool moved = DrainInbox();
  moved |= CommitOldest();
  for (; worker::v1::StepPlan* plan = Plan(); moved = true) Dispatch(*plan);
  moved |= Publish();
  if (moved) {
    Inspect();
  } else {
    ShowState();
  }
  return moved;
}

// --- Drain inbox

bool EngineLoop::DrainInbox() {
  inbox_->TakeAll(events_);
  for (EngineEvent& event : events_) {
    std::visit([this](auto& e) { On(e); }, event);
  }
  CloseWhatIsDue();
  return !events_.empty();
}

void EngineLoop::CloseWhatIsDue() {
  const absl::Time now = clock_->Now();
  scheduler_.CloseExpired(now);
  if (draining_ && now >= drain_limit_) {
    scheduler_.CloseAll(ShuttingDown(), now);
  }
}

void EngineLoop::On(SubmitEvent& event) {
  if (draining_) {
    scheduler_.Refuse(event.request, ShuttingDown());
  } else {
    scheduler_.Submit(std::move(event.request), clock_->Now());
  }
}

void EngineLoop::On(CancelEvent& event) {
  scheduler_.Cancel(event.id, clock_->Now());
}

void EngineLoop::On(GroupReadyEvent& event) {
  if (scheduler_.group() != nullptr) EndEpoch();
  scheduler_.StartEpoch(
      std::make_unique<Group>(event.shape, std::move(event.link),
                              options_.shuffle_free_blocks_seed),
      clock_->Now());
}

void EngineLoop::On(ResultEvent& event) {
  Group* const group = scheduler_.group();
  if (group == nullptr || group->shape().epoch != Epoch(event.result.epoch())) {
    return;
  }
  const absl::Status status =
      group->Accept(event.rank, std::move(event.result));
  waiting_since_ = clock_->Now();
  if (status.ok()) return;
  LogError(std::string(status.message()));
  group->Abandon(status);
  scheduler_.BlameStep(status, clock_->Now());
  EndEpoch();
}

void EngineLoop::On(GroupLostEvent& event) {
  const Group* const group = scheduler_.group();
  if (group != nullptr && group->shape().epoch == event.epoch) {
    EndEpoch();
  }
}

void EngineLoop::EndEpoch() {
  scheduler_.EndEpoch();
  waiting_since_ = absl::InfiniteFuture();
}

void EngineLoop::On(DrainEvent& event) {
  StartDrain(event.limit);
  on_drained_.push_back(std::move(event.done));
}

void EngineLoop::StartDrain(absl::Time limit) {
  draining_ = true;
  drain_limit_ = std::min(drain_limit_, limit);
}

void EngineLoop::On(DropPrefixesEvent&) {
  if (scheduler_.group() != nullptr) scheduler_.group()->prefixes().Clear();
}

void EngineLoop::On(SnapshotEvent& event) {
  *event.snapshot = Snapshot(event.with_blocks);
  event.taken->Notify();
}

void EngineLoop::On(StopEvent&) {
  StartDrain(absl::InfinitePast());
  stopped_ = true;
}

// --- Commit

bool EngineLoop::CommitOldest() {
  Group* const group = scheduler_.group();
  if (group == nullptr || !group->oldest_complete()) return false;
  ObserveStep(group->in_flight().front());
  const absl::Time start = clock_->Now();
  scheduler_.Commit(start);
  metrics_.commit_time->Observe(absl::ToDoubleSeconds(clock_->Now() - start));
  return true;
}

void EngineLoop::ObserveStep(const InFlightStep& step) {
  metrics_.round_trip_time->Observe(
      absl::ToDoubleSeconds(clock_->Now() - step.planned()));
  const worker::v1::StepTimings& timings = step.slowest();
  ObserveNanoseconds(metrics_.worker_prepare_time, timings.prepare_ns());
  ObserveNanoseconds(metrics_.worker_execute_time, timings.execute_ns());
  ObserveNanoseconds(metrics_.worker_sample_time, timings.sample_ns());
  ObserveNanoseconds(metrics_.worker_swap_time, timings.swap_ns());
}

// --- Plan and dispatch

worker::v1::StepPlan* EngineLoop::Plan() {
  const absl::Time start = clock_->Now();
  worker::v1::StepPlan* const plan = scheduler_.Plan(start);
  if (plan != nullptr) {
    metrics_.plan_time->Observe(absl::ToDoubleSeconds(clock_->Now() - start));
  }
  return plan;
}

void EngineLoop::Dispatch(worker::v1::StepPlan& plan) {
  scheduler_.group()->Dispatch(plan);
}

// --- Publish

bool EngineLoop::Publish() {
  const absl::Time start = clock_->Now();
  const bool published = outbox_.Publish();
  if (published) {
    metrics_.publish_time->Observe(
        absl::ToDoubleSeconds(clock_->Now() - start));
  }
  if (draining_ && scheduler_.num_open() == 0) {
    for (auto& done : std::exchange(on_drained_, {})) done();
  }
  return published;
}

// --- Around the turns

void EngineLoop::Inspect() {
  const absl::Time now = clock_->Now();
  shown_ = false;
  const bool has_work =
      scheduler_.group() != nullptr && scheduler_.num_open() > 0;
  waiting_since_ =
      has_work ? std::min(waiting_since_, now) : absl::InfiniteFuture();
  if (now >= last_shown_ + kShowInterval) {
    last_shown_ = now;
    ShowState();
  }
  if (!options_.check_consistency_every_step &&
      now < last_check_ + options_.consistency_interval) {
    return;
  }
  last_check_ = now;
  const absl::Status status = CheckConsistency(scheduler_);
  if (status.ok()) return;
  LogError("inconsistent state: " + std::string(status.message()));
  metrics_.consistency_violations->Increment();
  QUIRE_CHECK(!options_.check_consistency_every_step);
}

void EngineLoop::ShowState() {
  if (!std::exchange(shown_, true)) UpdateGauges(scheduler_, metrics_);
}

EngineSnapshot EngineLoop::Snapshot(bool with_blocks) const {
  return TakeSnapshot(scheduler_, metrics_, clock_->Now(), with_blocks);
}

absl::Time EngineLoop::wake_time() const {
  const absl::Time deadline = scheduler_.next_deadline();
  return draining_ && scheduler_.num_open() > 0
             ? std::min(deadline, drain_limit_)
             : deadline;
}

}  // namespace quire
