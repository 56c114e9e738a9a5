#ifndef QUIRE_SCHEDULER_MEMORY_HOST_BLOCK_POOL_H_
#define QUIRE_SCHEDULER_MEMORY_HOST_BLOCK_POOL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "common/ids.h"

namespace quire {

class HostBlockPool;

// A host block in use. It goes back to its pool with the last reference.
class HostBlock {
 public:
  ~HostBlock();

  HostBlock(const HostBlock&) = delete;
  HostBlock& operator=(const HostBlock&) = delete;

  HostBlockId id() const { return id_; }

 private:
  friend class HostBlockPool;
  HostBlock(HostBlockPool* pool, HostBlockId id) : pool_(pool), id_(id) {}

  HostBlockPool* const pool_;
  const HostBlockId id_;
};

// One reference; who copies it has another one. Each stands for an entry of a
// block table that was swapped out, so sequences that shared a block share its
// host block too.
using HostBlockRef = std::shared_ptr<const HostBlock>;

// The host blocks of a group, to which blocks of its KV cache are swapped out.
// A host block is free or in use; there is nothing to find in a free one, so no
// third state. Every operation is O(1). Not thread-safe: it belongs to the
// engine thread.
class HostBlockPool {
 public:
  explicit HostBlockPool(uint32_t num_blocks);
  // REQUIRES: nobody refers to a host block.
  ~HostBlockPool();

  HostBlockPool(const HostBlockPool&) = delete;
  HostBlockPool& operator=(const HostBlockPool&) = delete;

  // A host block with one reference; null when none is free, which is an
  // ordinary answer.
  HostBlockRef Allocate();

  uint32_t num_blocks() const { return num_blocks_; }
  uint32_t num_free() const { return static_cast<uint32_t>(free_.size()); }
  uint32_t num_used() const { return num_blocks_ - num_free(); }

 private:
  friend class HostBlock;

  const uint32_t num_blocks_;
  std::vector<HostBlockId> free_;  // The last one is handed out next.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_MEMORY_HOST_BLOCK_POOL_H_
