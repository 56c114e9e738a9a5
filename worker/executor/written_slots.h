#ifndef QUIRE_WORKER_EXECUTOR_WRITTEN_SLOTS_H_
#define QUIRE_WORKER_EXECUTOR_WRITTEN_SLOTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "common/ids.h"

namespace quire {

// How far each block is filled: its first slots, up to the end of what was
// written last. What lies behind is memory that nobody wrote in this epoch, or
// the rest of another sequence. Not thread-safe.
class WrittenSlots {
 public:
  WrittenSlots(int block_size, uint32_t num_blocks)
      : block_size_(block_size), counts_(num_blocks, 0) {}

  // REQUIRES, here and below: blocks < num_blocks.
  int in(BlockId block) const { return counts_[block.value()]; }
  // Slots of a block table, from its first on without a gap; no further than
  // `limit` needs.
  int64_t Leading(std::span<const BlockId> table, int64_t limit) const;

  // REQUIRES: num_slots <= block_size.
  void Set(BlockId block, int num_slots) { counts_[block.value()] = num_slots; }

 private:
  const int block_size_;
  std::vector<int> counts_;  // [num_blocks]
};

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_WRITTEN_SLOTS_H_
