#include "scheduler/engine/pending_swaps.h"

namespace quire {

HostBlockRef PendingSwaps::SwapOut(BlockId block, HostBlockPool& pool) {
  const auto found = out_.find(block);
  if (found != out_.end()) return found->second;
  HostBlockRef destination = pool.Allocate();
  if (destination != nullptr) out_.emplace(block, destination);
  return destination;
}

void PendingSwaps::SwapIn(HostBlockRef source, BlockId destination) {
  in_.emplace_back(std::move(source), destination);
}

std::vector<HostBlockId> PendingSwaps::named_host_blocks() const {
  std::vector<HostBlockId> ids;
  for (const auto& [block, host_block] : out_) ids.push_back(host_block->id());
  for (const auto& [host_block, block] : in_) ids.push_back(host_block->id());
  return ids;
}

void PendingSwaps::MoveTo(worker::v1::StepPlan& plan) {
  for (const auto& [block, host_block] : out_) {
    plan.mutable_swaps_out()->add_source(block.value());
    plan.mutable_swaps_out()->add_destination(host_block->id().value());
  }
  for (const auto& [host_block, block] : in_) {
    plan.mutable_swaps_in()->add_source(host_block->id().value());
    plan.mutable_swaps_in()->add_destination(block.value());
  }
  Clear();
}

void PendingSwaps::Clear() {
  out_.clear();
  in_.clear();
}

}  // namespace quire
