#include "scheduler/memory/block_table.h"

#include <algorithm>

#include "common/check.h"
#include "scheduler/memory/capacity.h"

namespace quire {
BlockTable::BlockTable(BlockPool* pool, uint32_t block_size)
    : pool_(pool), block_size_(block_size) {
  QUIRE_CHECK(block_size > 0);
}

uint32_t BlockTable::BlocksToReserve(uint32_t num_slots) const {
  const auto needed =
      static_cast<uint32_t>(BlocksForSlots(num_slots, block_size_));
  return needed > num_blocks() ? needed - num_blocks() : 0;
}

bool BlockTable::Reserve(uint32_t num_slots) {
  const uint32_t missing = BlocksToReserve(num_slots);
  if (missing > pool_->num_free()) return false;
  for (uint32_t i = 0; i < missing; ++i) {
    blocks_.push_back(*pool_->Allocate());
  }
  return true;
}

void BlockTable::Append(uint32_t count) {
  QUIRE_CHECK(count <= capacity() - num_slots_);
  num_slots_ += count;
}

void BlockTable::Truncate(uint32_t num_slots) {
  QUIRE_CHECK(num_slots <= num_slots_);
  num_slots_ = num_slots;
  const auto kept =
      static_cast<uint32_t>(BlocksForSlots(num_slots, block_size_));
  while (blocks_.size() > kept) blocks_.pop_back();
  unchanged_ = std::min(unchanged_, kept);
}

std::optional<TableEdit> BlockTable::TakeEdit() {
  if (unchanged_ == told_ && told_ == num_blocks()) return std::nullopt;
  const TableEdit edit{.keep = unchanged_,
                       .appended = blocks().subspan(unchanged_)};
  told_ = unchanged_ = num_blocks();
  return edit;
}

}  // namespace quire
