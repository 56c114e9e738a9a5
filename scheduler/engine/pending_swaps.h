#ifndef QUIRE_SCHEDULER_ENGINE_PENDING_SWAPS_H_
#define QUIRE_SCHEDULER_ENGINE_PENDING_SWAPS_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "quire/worker/v1/plan.pb.h"
#include "scheduler/memory/host_block_pool.h"

namespace quire {

// The swaps that the next plan asks for, collected until one is finished: who
// is preempted is decided while planning, and not every attempt ends in a plan.
// Until then it refers to every host block that it names, so that none is
// handed out again under the ranks' feet: they swap out first, then in. Engine
// thread only.
class PendingSwaps {
 public:
  // Where the content of `block` goes: to a host block of `pool` or, where it
  // is on its way out already, to that one. Null: none is free.
  HostBlockRef SwapOut(BlockId block, HostBlockPool& pool);
  // The content of `source` comes to `destination`, which the caller holds.
  void SwapIn(HostBlockRef source, BlockId destination);

  // So far, each way.
  uint32_t num_out() const { return static_cast<uint32_t>(out_.size()); }
  uint32_t num_in() const { return static_cast<uint32_t>(in_.size()); }

  // That it refers to; a host block may stand twice.
  std::vector<HostBlockId> named_host_blocks() const;

  // Becomes part of the plan, and is pending no more.
  void MoveTo(worker::v1::StepPlan& plan);
  // The epoch is over.
  void Clear();

 private:
  std::map<BlockId, HostBlockRef> out_;
  std::vector<std::pair<HostBlockRef, BlockId>> in_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_PENDING_SWAPS_H_
