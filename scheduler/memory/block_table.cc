#include "scheduler/memory/block_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

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
  const uint32_t missing = needed > num_blocks() ? needed - num_blocks() : 0;
  return missing + (num_slots > num_slots_ && NextSlotIsShared() ? 1 : 0);
}

bool BlockTable::NextSlotIsShared() const {
  return num_slots_ < capacity() && num_slots_ % block_size_ != 0 &&
         blocks_[num_slots_ / block_size_].is_shared();
}

bool BlockTable::Reserve(uint32_t num_slots) {
  uint32_t missing = BlocksToReserve(num_slots);
  if (missing > pool_->num_available()) return false;
  if (num_slots > num_slots_ && NextSlotIsShared()) {
    const uint32_t entry = num_slots_ / block_size_;
    BlockRef own = *pool_->Allocate();
    StartCopy(blocks_[entry], own);
    SetEntry(entry, std::move(own));
    --missing;
  }
  for (; missing > 0; --missing) blocks_.push_back(*pool_->Allocate());
  return true;
}

void BlockTable::StartCopy(const BlockRef& source, const BlockRef& own) {
  copy_.emplace(CopyOnWrite{.source = source.Pin(),
                            .destination = own.id(),
                            .num_slots = num_slots_ % block_size_,
                            .entry = num_slots_ / block_size_});
}

void BlockTable::SetEntry(uint32_t entry, BlockRef block) {
  blocks_[entry] = std::move(block);
  unchanged_ = std::min(unchanged_, entry);
}

void BlockTable::Fork(const BlockTable& parent, uint32_t num_slots) {
  QUIRE_CHECK(num_slots_ == 0 && told_ == 0 && !copy_.has_value());
  QUIRE_CHECK(num_slots <= parent.num_slots_ && parent.copy() == nullptr);
  std::vector<BlockRef> own = std::exchange(blocks_, {});
  num_slots_ = num_slots;
  const uint32_t num_full = num_slots / block_size_;
  for (uint32_t i = 0; i < num_full; ++i) {
    blocks_.push_back(parent.blocks_[i].Share());
  }
  if (num_slots % block_size_ != 0) {
    const BlockRef& partial = parent.blocks_[num_full];
    if (own.empty()) {
      blocks_.push_back(partial.Share());
    } else {
      StartCopy(partial, own.front());
    }
  }
  std::move(own.begin(), own.end(), std::back_inserter(blocks_));
}

void BlockTable::AppendShared(BlockRef block, uint32_t num_slots) {
  QUIRE_CHECK(num_slots_ == capacity());
  QUIRE_CHECK(num_slots > 0 && num_slots <= block_size_);
  blocks_.push_back(std::move(block));
  num_slots_ += num_slots;
}

BlockId BlockTable::ContentOf(uint32_t i) const {
  return copy_.has_value() && copy_->entry == i ? copy_->source.id()
                                                : blocks_[i].id();
}

void BlockTable::Replace(uint32_t i, BlockRef block) {
  QUIRE_CHECK((i + 1) * block_size_ <= num_slots_);
  SetEntry(i, std::move(block));
}

void BlockTable::TellAsFork(const BlockTable& parent) {
  QUIRE_CHECK(told_ == 0);
  told_ = parent.told_;
  const uint32_t limit = std::min(parent.unchanged_, num_blocks());
  for (unchanged_ = 0; unchanged_ < limit; ++unchanged_) {
    if (blocks_[unchanged_].id() != parent.blocks_[unchanged_].id()) break;
  }
}

std::optional<CopyOnWrite> BlockTable::TakeCopy() {
  return std::exchange(copy_, std::nullopt);
}

void BlockTable::Append(uint32_t count) {
  QUIRE_CHECK(count <= capacity() - num_slots_);
  QUIRE_CHECK(count == 0 || !NextSlotIsShared());
  num_slots_ += count;
}

void BlockTable::Retract(uint32_t count) {
  QUIRE_CHECK(count <= num_slots_ && !copy_.has_value());
  num_slots_ -= count;
  QUIRE_CHECK(!NextSlotIsShared());
}

void BlockTable::Truncate(uint32_t num_slots) {
  QUIRE_CHECK(num_slots <= num_slots_);
  num_slots_ = num_slots;
  if (copy_.has_value() && num_slots <= copy_->entry * block_size_) {
    copy_.reset();
  }
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
