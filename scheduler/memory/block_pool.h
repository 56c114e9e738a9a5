#ifndef QUIRE_SCHEDULER_MEMORY_BLOCK_POOL_H_
#define QUIRE_SCHEDULER_MEMORY_BLOCK_POOL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/ids.h"

namespace quire {

class BlockPool;

// Why a block is held. kRef: an entry of a block table; whoever holds the only
// one may write to the block, unless it is kept. kPin: its content is still to
// be copied.
enum class BlockHold { kRef, kPin };

// One hold on a block; it is given back when the object goes. Move-only: who
// wants a second one asks for it by name. The pool must outlive it.
template <BlockHold kind>
class BlockHandle {
 public:
  BlockHandle(BlockHandle&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), id_(other.id_) {}
  BlockHandle& operator=(BlockHandle&& other) noexcept {
    if (this != &other) {
      Reset();
      pool_ = std::exchange(other.pool_, nullptr);
      id_ = other.id_;
    }
    return *this;
  }
  ~BlockHandle() { Reset(); }

  BlockId id() const { return id_; }

  // Another hold on the same block.
  BlockHandle<BlockHold::kRef> Share() const;
  BlockHandle<BlockHold::kPin> Pin() const;
  // Whether somebody else may read it: has a reference too, or can find it.
  bool is_shared() const;

 private:
  friend class BlockPool;
  template <BlockHold>
  friend class BlockHandle;
  // Takes over one count of the block.
  BlockHandle(BlockPool* pool, BlockId id) : pool_(pool), id_(id) {}
  void Reset();

  BlockPool* pool_;  // Null once moved from.
  BlockId id_;
};

using BlockRef = BlockHandle<BlockHold::kRef>;
using BlockPin = BlockHandle<BlockHold::kPin>;

// The blocks of a group's KV cache, and who may write to them. A block is in
// exactly one state:
//
//   free     on the free list
//   active   at least one BlockRef or BlockPin names it
//   cached   held by nobody, but kept: its content can be found again
//
//            Allocate              last hold goes, not kept
//   free ----------------> active -------------------------> free
//                          |    ^                             ^
//     last hold goes, kept |    | Revive                      |
//                          v    |          evicted, forgotten |
//                          cached ----------------------------+
//
// Allocate takes free blocks first, then evicts the cached block that lost its
// last hold longest ago. The most recently freed block is handed out first.
// Every operation is O(1): the lists run through the blocks themselves. Not
// thread-safe: it belongs to the engine thread.
class BlockPool {
 public:
  // `shuffle_seed`: not 0 puts the free list in a random order at the start, to
  // show that the place of a block is invisible in what is computed.
  explicit BlockPool(uint32_t num_blocks, uint64_t shuffle_seed = 0);
  // REQUIRES: nobody holds a block.
  ~BlockPool();

  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // A block with one reference; nullopt when none is available, which is an
  // ordinary answer.
  std::optional<BlockRef> Allocate();

  // Whether the block becomes cached, not free, when its last hold goes; no
  // longer so once it is evicted. REQUIRES, for true: it is active. For false,
  // a cached block becomes free.
  void SetKept(BlockId id, bool kept);
  // A reference to an active or cached block. REQUIRES: it is kept.
  BlockRef Revive(BlockId id);
  // Called with a cached block that is about to be handed out anew.
  void set_on_evict(std::function<void(BlockId)> on_evict) {
    on_evict_ = std::move(on_evict);
  }

  uint32_t num_blocks() const { return static_cast<uint32_t>(blocks_.size()); }
  uint32_t num_free() const { return free_.size; }
  uint32_t num_cached() const { return cached_.size; }
  uint32_t num_active() const { return num_blocks() - num_available(); }
  // What Allocate can hand out.
  uint32_t num_available() const { return num_free() + num_cached(); }
  // References. REQUIRES, here and below: the block exists.
  uint32_t ref_count(BlockId id) const { return blocks_[id.value()].num_refs; }
  uint32_t pin_count(BlockId id) const { return blocks_[id.value()].num_pins; }
  bool is_active(BlockId id) const { return ref_count(id) + pin_count(id) > 0; }
  bool is_cached(BlockId id) const { return kept(id) && !is_active(id); }
  bool kept(BlockId id) const { return blocks_[id.value()].kept; }
  // Blocks with several references, and the blocks that sharing them saves: one
  // for each reference beyond the first.
  uint32_t num_shared() const { return num_shared_; }
  uint32_t num_saved() const { return num_saved_; }
  // Since the last call.
  uint64_t TakeNumEvictions() { return std::exchange(num_evictions_, 0); }

  // Whether each block is in one state and the counts say so: O(num_blocks).
  // INTERNAL names the first block or count that is wrong.
  absl::Status CheckConsistency() const;

 private:
  template <BlockHold>
  friend class BlockHandle;
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Block {
    uint32_t num_refs = 0;
    uint32_t num_pins = 0;
    bool kept = false;
    // Of a block that is on a list.
    uint32_t next = kNone;
    uint32_t previous = kNone;
  };
  struct List {
    uint32_t first = kNone;
    uint32_t last = kNone;
    uint32_t size = 0;
  };

  void AddHold(BlockId id, BlockHold kind);
  void DropHold(BlockId id, BlockHold kind);
  void AddRef(Block& block);
  void DropRef(Block& block);
  void PushFront(List& list, uint32_t index);
  void PushBack(List& list, uint32_t index);
  void Remove(List& list, uint32_t index);
  absl::Status CheckList(const List& list, bool kept) const;

  std::vector<Block> blocks_;
  List free_;
  List cached_;  // The one to be evicted next comes first.
  std::function<void(BlockId)> on_evict_;
  uint32_t num_shared_ = 0;
  uint32_t num_saved_ = 0;
  uint64_t num_evictions_ = 0;
};

// --- Implementation of the handles

template <BlockHold kind>
BlockRef BlockHandle<kind>::Share() const {
  pool_->AddHold(id_, BlockHold::kRef);
  return BlockRef(pool_, id_);
}

template <BlockHold kind>
BlockPin BlockHandle<kind>::Pin() const {
  pool_->AddHold(id_, BlockHold::kPin);
  return BlockPin(pool_, id_);
}

template <BlockHold kind>
bool BlockHandle<kind>::is_shared() const {
  return pool_->ref_count(id_) > (kind == BlockHold::kRef ? 1u : 0u) ||
         pool_->kept(id_);
}

template <BlockHold kind>
void BlockHandle<kind>::Reset() {
  if (pool_ != nullptr) std::exchange(pool_, nullptr)->DropHold(id_, kind);
}

}  // namespace quire

#endif  // QUIRE_SCHEDULER_MEMORY_BLOCK_POOL_H_
