#include "scheduler/sim/modelled_group.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/check.h"
#include "scheduler/sim/trace.h"

namespace quire {

ModelledGroup::ModelledGroup(const VirtualClock* clock, const Clock* cpu,
                             const CostModel* cost, uint32_t block_size)
    : clock_(clock), cpu_(cpu), cost_(cost), block_size_(block_size) {}

void ModelledGroup::Dispatch(worker::v1::StepPlan& plan) {
  const absl::Time start = cpu_->Now();
  const absl::Duration serialize = Serialize(plan);
  ApplyDifference(plan);
  const StepWork work = WorkOf(plan);
  free_from_ = std::max(free_from_, clock_->elapsed()) + cost_->StepTime(work);
  in_flight_.push_back({free_from_, Answer(plan)});
  SetTimings(work, *in_flight_.back().result.mutable_timings());
  num_rows_ += work.num_rows;
  dispatches_.push_back({.serialize = serialize,
                         .all = cpu_->Now() - start,
                         .plan_bytes = bytes_.size()});
}

void ModelledGroup::Abandon(const std::string&) {
  QUIRE_CHECK(!"the engine refuses a modelled result; its log says why");
}

absl::Duration ModelledGroup::Serialize(const worker::v1::StepPlan& plan) {
  const absl::Time start = cpu_->Now();
  QUIRE_CHECK(plan.SerializeToString(&bytes_));
  return cpu_->Now() - start;
}

void ModelledGroup::ApplyDifference(const worker::v1::StepPlan& plan) {
  for (const worker::v1::Fork& fork : plan.forks()) {
    const uint32_t num_top = held_.at(fork.parent()).num_top;
    held_[fork.child()] = {.last_token = fork.tokens().empty()
                                             ? static_cast<Token>(fork.child())
                                             : *fork.tokens().rbegin(),
                           .num_top = num_top};
  }
  for (const uint64_t sequence : plan.released()) held_.erase(sequence);
  for (const worker::v1::NewSequence& sequence : plan.new_sequences()) {
    held_[sequence.sequence()] = {
        .last_token = *sequence.tokens().rbegin(),
        .num_top = sequence.sampling().top_logprobs()};
  }
}

StepWork ModelledGroup::WorkOf(const worker::v1::StepPlan& plan) const {
  StepWork work;
  for (int i = 0; i < plan.runs().sequence_size(); ++i) {
    work.AddRun(plan.runs().position(i), plan.runs().num_rows(i));
  }
  for (const uint32_t slots : plan.copies().num_slots()) {
    work.slots_copied += slots;
  }
  const uint64_t num_swaps =
      plan.swaps_out().source_size() + plan.swaps_in().source_size();
  work.slots_swapped = num_swaps * block_size_;
  return work;
}

worker::v1::StepResult ModelledGroup::Answer(const worker::v1::StepPlan& plan) {
  worker::v1::StepResult result;
  result.set_step_id(plan.step_id());
  result.set_epoch(plan.epoch());
  worker::v1::SampledTokens& sampled = *result.mutable_sampled();
  for (int i = 0; i < plan.runs().sequence_size(); ++i) {
    if (plan.runs().samples(i) == 0) continue;
    HeldSequence& sequence = held_.at(plan.runs().sequence(i));
    sequence.last_token = TokenAfter(sequence.last_token);
    sampled.add_sequence(plan.runs().sequence(i));
    sampled.add_position(plan.runs().position(i) + plan.runs().num_rows(i));
    sampled.add_token(sequence.last_token);
    sampled.add_logprob(0);
    AddCandidates(sequence, sampled);
  }
  return result;
}

void ModelledGroup::AddCandidates(const HeldSequence& sequence,
                                  worker::v1::SampledTokens& sampled) {
  sampled.add_num_top(sequence.num_top);
  const double q = (sequence.last_token + 1.0) / (uint32_t{1} << 31);
  for (uint32_t i = 0; i < sequence.num_top; ++i) {
    sampled.add_top_token(sequence.last_token ^ static_cast<Token>(i));
    sampled.add_top_logprob(
        static_cast<float>(std::log1p(-q * 0.999999) + i * std::log(q)));
  }
}

void ModelledGroup::SetTimings(const StepWork& work,
                               worker::v1::StepTimings& timings) const {
  const absl::Duration move = cost_->MoveTime(work);
  timings.set_swap_ns(absl::ToInt64Nanoseconds(move));
  timings.set_execute_ns(
      absl::ToInt64Nanoseconds(cost_->StepTime(work) - move));
}

absl::Duration ModelledGroup::next_result() const {
  return in_flight_.empty() ? absl::InfiniteDuration() : in_flight_.front().end;
}

worker::v1::StepResult ModelledGroup::TakeResult() {
  QUIRE_CHECK(!in_flight_.empty());
  worker::v1::StepResult result = std::move(in_flight_.front().result);
  in_flight_.pop_front();
  return result;
}

}  // namespace quire
