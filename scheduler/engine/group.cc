#include "scheduler/engine/group.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace quire {

Group::Group(const GroupShape& shape, std::shared_ptr<GroupLink> link,
             uint64_t shuffle_free_blocks_seed)
    : shape_(shape),
      link_(std::move(link)),
      pool_(shape.num_blocks, shuffle_free_blocks_seed),
      host_blocks_(shape.num_host_blocks),
      prefixes_(&pool_, shape.block_size) {}

void Group::Enter(worker::v1::StepPlan& plan, std::vector<Run> runs,
                  absl::Time now) {
  last_step_ = last_step_.Next();
  plan.set_step_id(last_step_.value());
  plan.set_epoch(shape_.epoch.value());
  const int num_swaps =
      plan.swaps_out().source_size() + plan.swaps_in().source_size();
  in_flight_.emplace_back(last_step_, shape_.num_ranks, std::move(runs),
                          static_cast<uint32_t>(num_swaps), now);
}

absl::Status Group::Accept(Rank rank, worker::v1::StepResult result) {
  const uint64_t answered = result.step_id();
  const auto error = [&](const std::string& what) {
    return absl::InternalError(
        absl::StrCat("rank ", rank.value(), ", step ", answered, ": ", what));
  };
  if (rank.value() >= shape_.num_ranks) {
    return error(absl::StrCat("the group has ", shape_.num_ranks, " ranks"));
  }
  const auto step = std::find_if(
      in_flight_.begin(), in_flight_.end(),
      [&](const InFlightStep& step) { return !step.HasAnswerOf(rank); });
  if (step == in_flight_.end()) return error("no answer is due");
  if (step->id() != StepId(answered)) {
    return error(
        absl::StrCat("the answer to step ", step->id().value(), " is due"));
  }
  const absl::Status status = step->Accept(rank, std::move(result));
  return status.ok() ? status : error(std::string(status.message()));
}

void Group::PopOldest() {
  QUIRE_CHECK(oldest_complete());
  const InFlightStep& step = in_flight_.front();
  rates_.Observe(step.runs(), step.num_swapped_blocks(), step.slowest());
  in_flight_.pop_front();
}

void Group::Abandon(const absl::Status& reason) {
  link_->Abandon(std::string(reason.message()));
}

}  // namespace quire
