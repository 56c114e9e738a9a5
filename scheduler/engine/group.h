#ifndef QUIRE_SCHEDULER_ENGINE_GROUP_H_
#define QUIRE_SCHEDULER_ENGINE_GROUP_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "quire/worker/v1/plan.pb.h"
#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/group_link.h"
#include "scheduler/engine/in_flight_step.h"
#include "scheduler/engine/measured_rates.h"
#include "scheduler/engine/run.h"
#include "scheduler/memory/block_pool.h"
#include "scheduler/memory/host_block_pool.h"
#include "scheduler/memory/prefix_tree.h"
#include "scheduler/policy/work_rates.h"

namespace quire {

// One group for one epoch: its blocks and what is known of their contents, the
// way to its ranks, and the steps in flight, oldest first. It ends with the
// epoch; the next one starts with fresh pools and step 1. Engine thread only.
class Group {
 public:
  Group(const GroupShape& shape, std::shared_ptr<GroupLink> link,
        uint64_t shuffle_free_blocks_seed);

  const GroupShape& shape() const { return shape_; }
  BlockPool& pool() { return pool_; }
  PrefixTree& prefixes() { return prefixes_; }
  const PrefixTree& prefixes() const { return prefixes_; }
  const BlockPool& pool() const { return pool_; }
  HostBlockPool& host_blocks() { return host_blocks_; }
  const HostBlockPool& host_blocks() const { return host_blocks_; }

  // A plan enters flight: names it, as the next step of this epoch.
  void Enter(worker::v1::StepPlan& plan, std::vector<Run> runs, absl::Time now);
  // Sends it on its way to every rank.
  void Dispatch(worker::v1::StepPlan& plan) { link_->Dispatch(plan); }
  // Takes a rank's answer to the oldest step that it has not answered.
  // INTERNAL names rank and step: the answer is a failure or contradicts the
  // plan, and the group can no longer be used.
  absl::Status Accept(Rank rank, worker::v1::StepResult result);

  const std::deque<InFlightStep>& in_flight() const { return in_flight_; }
  // Whether the oldest step in flight can be committed.
  bool oldest_complete() const {
    return !in_flight_.empty() && in_flight_.front().complete();
  }
  // It leaves flight; what it took joins the rates. REQUIRES: it can be
  // committed.
  void PopOldest();
  // Of the steps that have left flight.
  WorkRates rates() const { return rates_.Means(); }

  // Ends the epoch on the link's side.
  void Abandon(const absl::Status& reason);

 private:
  const GroupShape shape_;
  const std::shared_ptr<GroupLink> link_;
  BlockPool pool_;
  HostBlockPool host_blocks_;
  PrefixTree prefixes_;
  StepId last_step_;
  std::deque<InFlightStep> in_flight_;
  MeasuredRates rates_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_GROUP_H_
