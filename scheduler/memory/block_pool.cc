#include "scheduler/memory/block_pool.h"

#include <numeric>
#include <random>

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace quire {

BlockRef& BlockRef::operator=(BlockRef&& other) noexcept {
  if (this != &other) {
    Reset();
    pool_ = std::exchange(other.pool_, nullptr);
    id_ = other.id_;
  }
  return *this;
}

BlockRef BlockRef::Share() const {
  pool_->Ref(id_);
  return BlockRef(pool_, id_);
}

void BlockRef::Reset() {
  if (pool_ != nullptr) std::exchange(pool_, nullptr)->Unref(id_);
}

BlockPool::BlockPool(uint32_t num_blocks, uint64_t shuffle_seed)
    : blocks_(num_blocks) {
  std::vector<uint32_t> order(num_blocks);
  std::iota(order.rbegin(), order.rend(), 0);  // Block 0 is handed out first.
  if (shuffle_seed != 0) {
    std::mt19937_64 random(shuffle_seed);
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random() % i]);
    }
  }
  for (uint32_t index : order) PushFree(index);
}

BlockPool::~BlockPool() { QUIRE_CHECK(num_active() == 0); }

std::optional<BlockRef> BlockPool::Allocate() {
  if (first_free_ == kEndOfList) return std::nullopt;
  const BlockId id(first_free_);
  Block& block = blocks_[first_free_];
  first_free_ = std::exchange(block.next_free, kEndOfList);
  --num_free_;
  block.ref_count = 1;
  return BlockRef(this, id);
}

void BlockPool::Ref(BlockId id) {
  Block& block = blocks_[id.value()];
  QUIRE_CHECK(block.ref_count > 0);
  ++block.ref_count;
}

void BlockPool::Unref(BlockId id) {
  Block& block = blocks_[id.value()];
  QUIRE_CHECK(block.ref_count > 0);
  if (--block.ref_count == 0) PushFree(id.value());
}

void BlockPool::PushFree(uint32_t index) {
  blocks_[index].next_free = std::exchange(first_free_, index);
  ++num_free_;
}

absl::Status BlockPool::CheckConsistency() const {
  uint32_t listed = 0;
  for (uint32_t i = first_free_; i != kEndOfList; i = blocks_[i].next_free) {
    if (i >= num_blocks()) {
      return absl::InternalError(absl::StrCat("the free list leads to block ",
                                              i, " of ", num_blocks()));
    }
    if (blocks_[i].ref_count != 0) {
      return absl::InternalError(absl::StrCat("block ", i, " is free and has ",
                                              blocks_[i].ref_count,
                                              " references"));
    }
    if (++listed > num_free_) break;  // Too long, or a circle.
  }
  uint32_t referenced = 0;
  for (const Block& block : blocks_) referenced += block.ref_count > 0;
  if (listed != num_free_ || referenced != num_active()) {
    return absl::InternalError(absl::StrCat(
        "of ", num_blocks(), " blocks ", num_free_, " are counted as free; ",
        listed, " are listed as free, ", referenced, " are referenced"));
  }
  return absl::OkStatus();
}

}  // namespace quire
