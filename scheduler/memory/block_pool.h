#ifndef QUIRE_SCHEDULER_MEMORY_BLOCK_POOL_H_
#define QUIRE_SCHEDULER_MEMORY_BLOCK_POOL_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/ids.h"

namespace quire {

class BlockPool;

// One reference to a block; it is given back when the object goes. Move-only:
// who wants a second reference asks for it by name. The pool must outlive it.
class BlockRef {
 public:
  BlockRef(BlockRef&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), id_(other.id_) {}
  BlockRef& operator=(BlockRef&& other) noexcept;
  ~BlockRef() { Reset(); }

  BlockId id() const { return id_; }

  // A second reference to the same block.
  BlockRef Share() const;

 private:
  friend class BlockPool;
  // Takes over one count of the block.
  BlockRef(BlockPool* pool, BlockId id) : pool_(pool), id_(id) {}
  void Reset();

  BlockPool* pool_;  // Null once moved from.
  BlockId id_;
};

// The blocks of a group's KV cache, and who may write to them. A block is in
// exactly one state:
//
//   free     on the free list
//   active   at least one BlockRef names it
//
//            Allocate                       last BlockRef goes
//   free ----------------> active --------------------------------> free
//
// A block whose content is worth keeping would turn aside at the last step, in
// Unref, into a third state, and come back from there by Share.
//
// Every operation is O(1): the free list runs through the blocks themselves.
// The most recently freed block is handed out first. Not thread-safe: it
// belongs to the engine thread.
class BlockPool {
 public:
  // `shuffle_seed`: not 0 puts the free list in a random order at the start, to
  // show that the place of a block is invisible in what is computed.
  explicit BlockPool(uint32_t num_blocks, uint64_t shuffle_seed = 0);
  // REQUIRES: no BlockRef is left.
  ~BlockPool();

  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // A free block with one reference; nullopt when none is free, which is an
  // ordinary answer.
  std::optional<BlockRef> Allocate();

  uint32_t num_blocks() const { return static_cast<uint32_t>(blocks_.size()); }
  uint32_t num_free() const { return num_free_; }
  uint32_t num_active() const { return num_blocks() - num_free_; }
  // REQUIRES: the block exists. 0 = free.
  uint32_t ref_count(BlockId id) const { return blocks_[id.value()].ref_count; }

  // Whether each block is in one state and the counts say so: O(num_blocks).
  // INTERNAL names the first block or count that is wrong.
  absl::Status CheckConsistency() const;

 private:
  friend class BlockRef;
  static constexpr uint32_t kEndOfList = ~uint32_t{0};

  struct Block {
    uint32_t ref_count = 0;
    uint32_t next_free = kEndOfList;  // Of a free block.
  };

  void Ref(BlockId id);
  void Unref(BlockId id);
  void PushFree(uint32_t index);

  std::vector<Block> blocks_;
  uint32_t first_free_ = kEndOfList;
  uint32_t num_free_ = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_MEMORY_BLOCK_POOL_H_
