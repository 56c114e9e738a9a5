#ifndef QUIRE_SCHEDULER_ENGINE_GROUP_LINK_H_
#define QUIRE_SCHEDULER_ENGINE_GROUP_LINK_H_

#include <cstdint>
#include <string>

#include "common/ids.h"
#include "quire/worker/v1/plan.pb.h"

namespace quire {

// The KV cache of a group as agreed with all its ranks, for one epoch.
struct GroupShape {
  Epoch epoch;
  uint32_t num_ranks = 1;
  uint32_t num_blocks = 0;
  uint32_t block_size = 0;       // Slots.
  uint64_t bytes_per_block = 0;  // Over all layers and ranks.
  uint32_t max_step_rows = 0;    // No plan may have more.
  uint32_t cheap_rows = 1;       // A step of so many takes as long as of one.
  uint32_t num_host_blocks = 0;  // To swap blocks out to; 0 = none.
};

// The way to the ranks of a group for one epoch. Results come back through
// Engine::OnResult.
class GroupLink {
 public:
  virtual ~GroupLink() = default;

  // Sends the plan to every rank. Never blocks for long and reports nothing: a
  // rank that cannot be reached ends the epoch, and Engine::OnGroupLost says
  // so. Called by the engine thread; the link may take the plan's contents.
  virtual void Dispatch(worker::v1::StepPlan& plan) = 0;

  // The engine found the group unusable (a failed or contradictory result):
  // ends the epoch with `reason`. OnGroupLost follows. Any thread.
  virtual void Abandon(const std::string& reason) = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_GROUP_LINK_H_
