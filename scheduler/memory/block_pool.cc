#include "scheduler/memory/block_pool.h"

#include <numeric>
#include <random>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/status_macros.h"

namespace quire {

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
  for (uint32_t index : order) PushFront(free_, index);
}

BlockPool::~BlockPool() { QUIRE_CHECK(num_active() == 0); }

std::optional<BlockRef> BlockPool::Allocate() {
  if (free_.first == kNone) {
    if (cached_.first == kNone) return std::nullopt;
    const BlockId victim(cached_.first);
    ++num_evictions_;
    if (on_evict_) on_evict_(victim);
    SetKept(victim, false);
  }
  const BlockId id(free_.first);
  Remove(free_, id.value());
  blocks_[id.value()].num_refs = 1;
  return BlockRef(this, id);
}

void BlockPool::SetKept(BlockId id, bool kept) {
  Block& block = blocks_[id.value()];
  if (kept) {
    QUIRE_CHECK(is_active(id));
  } else if (is_cached(id)) {
    Remove(cached_, id.value());
    PushFront(free_, id.value());
  }
  block.kept = kept;
}

BlockRef BlockPool::Revive(BlockId id) {
  QUIRE_CHECK(kept(id));
  if (!is_active(id)) Remove(cached_, id.value());
  AddRef(blocks_[id.value()]);
  return BlockRef(this, id);
}

void BlockPool::AddHold(BlockId id, BlockHold kind) {
  QUIRE_CHECK(is_active(id));
  Block& block = blocks_[id.value()];
  if (kind == BlockHold::kRef) {
    AddRef(block);
  } else {
    ++block.num_pins;
  }
}

void BlockPool::AddRef(Block& block) {
  ++block.num_refs;
  num_saved_ += block.num_refs > 1;
  num_shared_ += block.num_refs == 2;
}

void BlockPool::DropRef(Block& block) {
  QUIRE_CHECK(block.num_refs > 0);
  num_saved_ -= block.num_refs > 1;
  num_shared_ -= block.num_refs == 2;
  --block.num_refs;
}

void BlockPool::DropHold(BlockId id, BlockHold kind) {
  Block& block = blocks_[id.value()];
  if (kind == BlockHold::kRef) {
    DropRef(block);
  } else {
    QUIRE_CHECK(block.num_pins > 0);
    --block.num_pins;
  }
  if (is_active(id)) return;
  if (block.kept) {
    PushBack(cached_, id.value());
  } else {
    PushFront(free_, id.value());
  }
}

void BlockPool::PushFront(List& list, uint32_t index) {
  Block& block = blocks_[index];
  block.next = std::exchange(list.first, index);
  (block.next == kNone ? list.last : blocks_[block.next].previous) = index;
  ++list.size;
}

void BlockPool::PushBack(List& list, uint32_t index) {
  Block& block = blocks_[index];
  block.previous = std::exchange(list.last, index);
  (block.previous == kNone ? list.first : blocks_[block.previous].next) = index;
  ++list.size;
}

void BlockPool::Remove(List& list, uint32_t index) {
  Block& block = blocks_[index];
  (block.previous == kNone ? list.first : blocks_[block.previous].next) =
      block.next;
  (block.next == kNone ? list.last : blocks_[block.next].previous) =
      block.previous;
  block.next = block.previous = kNone;
  --list.size;
}

absl::Status BlockPool::CheckList(const List& list, bool kept) const {
  const char* const name = kept ? "cached" : "free";
  uint32_t listed = 0;
  uint32_t previous = kNone;
  for (uint32_t i = list.first; i != kNone; i = blocks_[i].next) {
    if (i >= num_blocks() || blocks_[i].previous != previous) {
      return absl::InternalError(
          absl::StrCat("the list of ", name, " blocks is broken at block ", i));
    }
    const Block& block = blocks_[i];
    if (block.num_refs + block.num_pins != 0 || block.kept != kept) {
      return absl::InternalError(
          absl::StrCat("block ", i, " is ", name, " and has ", block.num_refs,
                       " references, ", block.num_pins, " pins and is ",
                       block.kept ? "kept" : "not kept"));
    }
    if (++listed > list.size) break;  // Too long, or a circle.
    previous = i;
  }
  if (listed == list.size) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(list.size, " blocks are counted as ",
                                          name, ", ", listed, " are listed"));
}

absl::Status BlockPool::CheckConsistency() const {
  QUIRE_RETURN_IF_ERROR(CheckList(free_, /*kept=*/false));
  QUIRE_RETURN_IF_ERROR(CheckList(cached_, /*kept=*/true));
  uint32_t held = 0;
  uint32_t saved = 0;
  for (uint32_t i = 0; i < num_blocks(); ++i) {
    held += is_active(BlockId(i));
    saved += blocks_[i].num_refs > 1 ? blocks_[i].num_refs - 1 : 0;
  }
  if (saved != num_saved()) {
    return absl::InternalError(absl::StrCat(
        num_saved(), " blocks are counted as saved, ", saved, " are"));
  }
  if (held == num_active()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(
      "of ", num_blocks(), " blocks ", num_free(), " are counted as free and ",
      num_cached(), " as cached; ", held, " are held"));
}

}  // namespace quire
