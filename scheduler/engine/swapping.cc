#include "scheduler/engine/swapping.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/check.h"
#include "scheduler/memory/block_pool.h"
#include "scheduler/memory/block_table.h"
#include "scheduler/memory/capacity.h"
#include "scheduler/memory/swapped_slots.h"
#include "scheduler/policy/admission.h"

namespace quire {
namespace {

// Blocks of new tables, one for each host block.
class ReturningBlocks {
 public:
  ReturningBlocks(BlockPool* pool, PendingSwaps* swaps)
      : pool_(pool), swaps_(swaps) {}

  // `found`: a block that has the content already, or null.
  BlockRef Take(const HostBlockRef& host_block, const BlockId* found) {
    const auto known = blocks_.find(host_block.get());
    if (known != blocks_.end()) return known->second->Share();
    if (found != nullptr) return pool_->Revive(*found);
    BlockRef block = *pool_->Allocate();
    swaps_->SwapIn(host_block, block.id());
    return block;
  }
  // `block` is where the content of `host_block` is; it stays in its place.
  void Remember(const HostBlockRef& host_block, const BlockRef& block) {
    blocks_.try_emplace(host_block.get(), &block);
  }

 private:
  BlockPool* const pool_;
  PendingSwaps* const swaps_;
  absl::flat_hash_map<const HostBlock*, const BlockRef*> blocks_;
};

}  // namespace

VictimCost CostOf(const RequestState& victim, const Group& group) {
  const uint32_t block_size = group.shape().block_size;
  struct Use {
    uint32_t num_entries = 0;
    uint32_t num_slots = 0;
  };
  absl::flat_hash_map<BlockId, Use> uses;
  VictimCost cost = {.can_be_swapped =
                         victim.num_preemptions() + 1 < kMaxPreemptions};
  for (const auto& sequence : victim.sequences()) {
    cost.can_be_swapped &= !sequence->awaiting();
    uint32_t slots_left = sequence->planned();
    for (uint32_t i = 0; slots_left > 0; ++i) {
      const uint32_t num_slots = std::min(slots_left, block_size);
      Use& use = uses[sequence->table().ContentOf(i)];
      ++use.num_entries;
      use.num_slots = std::max(use.num_slots, num_slots);
      slots_left -= num_slots;
    }
  }
  cost.num_blocks = uses.size();
  for (const auto& [block, use] : uses) {
    const bool others_hold_it = group.pool().ref_count(block) > use.num_entries;
    if (!others_hold_it) cost.num_rows += use.num_slots;
  }
  return cost;
}

void SwapOut(RequestState& victim, Group& group, PendingSwaps& swaps) {
  for (const auto& sequence : victim.sequences()) {
    const BlockTable& table = sequence->table();
    SwappedSlots swapped{.num_slots = sequence->planned()};
    const uint64_t num_blocks =
        BlocksForSlots(swapped.num_slots, table.block_size());
    for (uint32_t i = 0; i < num_blocks; ++i) {
      swapped.blocks.push_back(
          swaps.SwapOut(table.ContentOf(i), group.host_blocks()));
      QUIRE_CHECK(swapped.blocks.back() != nullptr);
    }
    sequence->SetSwapped(std::move(swapped));
  }
}

// Each sequence that ends in a partly filled block writes on in a copy of its
// own, but for the last one; where another sequence fills the same block, that
// one needs the original, and all copy.
uint64_t BlocksToSwapIn(const RequestState& request,
                        const SlotsForSequence& slots_for,
                        uint32_t block_size) {
  struct Use {
    uint32_t num_writers = 0;
    bool is_full = false;
  };
  absl::flat_hash_map<const HostBlock*, Use> uses;
  uint64_t num_blocks = 0;
  for (const auto& sequence : request.sequences()) {
    const uint32_t num_slots = sequence->num_returning_slots();
    const uint64_t num_swapped = BlocksForSlots(num_slots, block_size);
    num_blocks +=
        BlocksForSlots(slots_for(*sequence), block_size) - num_swapped;
    for (uint32_t i = 0; i < num_swapped; ++i) {
      Use& use = uses[sequence->swapped()->blocks[i].get()];
      const bool is_full = (i + 1) * block_size <= num_slots;
      use.is_full |= is_full;
      use.num_writers += !is_full;
    }
  }
  for (const auto& [block, use] : uses) {
    num_blocks += use.num_writers + (use.is_full ? 1 : 0);
  }
  return num_blocks;
}

void SwapIn(RequestState& request, std::span<const BlockId> prefix,
            const SlotsForSequence& slots_for, Group& group,
            PendingSwaps& swaps) {
  const auto sequences = request.sequences();
  BlockPool& pool = group.pool();
  ReturningBlocks blocks(&pool, &swaps);
  std::vector<std::vector<BlockRef>> tables(sequences.size());
  for (size_t s = 0; s < sequences.size(); ++s) {
    const std::vector<HostBlockRef>& swapped = sequences[s]->swapped()->blocks;
    const uint64_t num_blocks = BlocksForSlots(
        sequences[s]->num_returning_slots(), group.shape().block_size);
    tables[s].reserve(num_blocks);
    for (size_t i = 0; i < num_blocks; ++i) {
      const bool is_found = s == 0 && i < prefix.size();
      tables[s].push_back(
          blocks.Take(swapped[i], is_found ? &prefix[i] : nullptr));
      blocks.Remember(swapped[i], tables[s].back());
    }
  }
  for (size_t s = 0; s < sequences.size(); ++s) {
    const uint32_t num_slots = slots_for(*sequences[s]);
    sequences[s]->EnterSwapped(&pool, group.shape().block_size,
                               std::move(tables[s]), num_slots);
  }
}

}  // namespace quire
