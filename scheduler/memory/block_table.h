#ifndef QUIRE_SCHEDULER_MEMORY_BLOCK_TABLE_H_
#define QUIRE_SCHEDULER_MEMORY_BLOCK_TABLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/ids.h"
#include "scheduler/memory/block_pool.h"

namespace quire {

// One change of a table as its readers are told of it: keep the first `keep`
// entries, then append these. Any number of changes between two tellings is
// one edit.
struct TableEdit {
  uint32_t keep = 0;
  std::span<const BlockRef> appended;  // Until the table changes.
};

// A sequence's list of blocks, logical block i -> block id, together with the
// part that its readers (the ranks of the group) have not been told. Slots are
// used in two moves, so that a plan is made in full or not at all: Reserve asks
// the pool and may be refused, Append uses what is reserved and cannot fail.
//
//   0 ............ num_slots ............ capacity
//   in use         reserved
//
// Not thread-safe: it belongs to the engine thread.
class BlockTable {
 public:
  // `pool` must outlive the table.
  BlockTable(BlockPool* pool, uint32_t block_size);
  ~BlockTable() { Release(); }

  BlockTable(const BlockTable&) = delete;
  BlockTable& operator=(const BlockTable&) = delete;

  // How many blocks Reserve(num_slots) would take from the pool.
  uint32_t BlocksToReserve(uint32_t num_slots) const;
  // Makes room for `num_slots` slots in all, those in use included. False: the
  // pool has too few free blocks, and nothing has changed.
  bool Reserve(uint32_t num_slots);

  // Puts `count` more slots to use. REQUIRES: they are reserved.
  void Append(uint32_t count);
  // Keeps the first `num_slots` slots and the blocks that hold them. The other
  // blocks, reserved ones too, lose their reference, the last one first.
  // REQUIRES: num_slots <= this->num_slots().
  void Truncate(uint32_t num_slots);
  // Gives everything back, the last block first.
  void Release() { Truncate(0); }

  uint32_t num_slots() const { return num_slots_; }
  uint32_t num_blocks() const { return static_cast<uint32_t>(blocks_.size()); }
  uint32_t capacity() const { return num_blocks() * block_size_; }
  // [num_blocks]. Until the table changes.
  std::span<const BlockRef> blocks() const { return blocks_; }

  // The edit that brings readers from what they were last told to what is;
  // nullopt when nothing changed. From here on they count as told.
  std::optional<TableEdit> TakeEdit();

 private:
  BlockPool* const pool_;
  const uint32_t block_size_;
  std::vector<BlockRef> blocks_;
  uint32_t num_slots_ = 0;
  uint32_t told_ = 0;       // Entries that readers hold.
  uint32_t unchanged_ = 0;  // Of these, the leading ones that still hold.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_MEMORY_BLOCK_TABLE_H_
