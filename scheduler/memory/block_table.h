#ifndef QUIRE_SCHEDULER_MEMORY_BLOCK_TABLE_H_
#define QUIRE_SCHEDULER_MEMORY_BLOCK_TABLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/ids.h"
#include "scheduler/memory/block_pool.h"

namespace quire {

// One change of a table as the ranks are told of it: keep the first `keep`
// entries, then append these. Any number of changes between two tellings is
// one edit.
struct TableEdit {
  uint32_t keep = 0;
  std::span<const BlockRef> appended;  // Until the table changes.
};

// The first `num_slots` slots of a block that is shared, to be copied to a
// block of one's own before its next slot is written. The source is pinned
// until then.
struct CopyOnWrite {
  BlockPin source;
  BlockId destination;
  uint32_t num_slots = 0;
  uint32_t entry = 0;  // Of the table, which names the destination.
};

// A sequence's list of blocks, logical block i -> block id, together with the
// part that the ranks of the group have not been told. Slots are used in two
// moves, so that a plan is made in full or not at all: Reserve asks the pool
// and may be refused, Append uses what is reserved and cannot fail.
//
//   0 ............ num_slots ............ capacity
//   in use         reserved
//
// Slots in use may lie in blocks that other tables hold too. They are only
// read: Reserve replaces a shared block that the next slot would be written to
// by one of its own, and the copy that this asks for is fetched with TakeCopy
// (copy-on-write; Kwon et al., "PagedAttention", SOSP 2023, section 4.4).
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
  // Makes room for `num_slots` slots in all, those in use included, and for all
  // that are not in use in blocks of its own. False: the pool has too few
  // blocks available, and nothing has changed.
  bool Reserve(uint32_t num_slots);

  // Begins as the first `num_slots` slots of `parent`, in the same blocks; what
  // this table has reserved comes after them. Where the last shared block is
  // not full and a reserved one can take its place, it does, and there is a
  // copy to make. REQUIRES: no slot is in use and the ranks were told nothing;
  // the parent uses these slots and has no copy to make.
  void Fork(const BlockTable& parent, uint32_t num_slots);
  // Puts the first `num_slots` slots of one more block to use, which are
  // written. REQUIRES: every slot it has is in use; 0 < num_slots <=
  // block_size().
  void AppendShared(BlockRef block, uint32_t num_slots);
  // Entry i names another block with the same content from now on.
  // REQUIRES: all slots of entry i are in use.
  void Replace(uint32_t i, BlockRef block);

  // Puts `count` more slots to use. REQUIRES: they are reserved.
  void Append(uint32_t count);
  // The last `count` slots in use are reserved again. REQUIRES: they lie in
  // blocks of its own, and there is no copy to make.
  void Retract(uint32_t count);
  // Keeps the first `num_slots` slots and the blocks that hold them. The other
  // blocks, reserved ones too, lose their reference, the last one first.
  // REQUIRES: num_slots <= this->num_slots().
  void Truncate(uint32_t num_slots);
  // Gives everything back, the last block first.
  void Release() { Truncate(0); }

  BlockPool* pool() const { return pool_; }
  uint32_t block_size() const { return block_size_; }
  uint32_t num_slots() const { return num_slots_; }
  uint32_t num_blocks() const { return static_cast<uint32_t>(blocks_.size()); }
  uint32_t capacity() const { return num_blocks() * block_size_; }
  // [num_blocks]. Until the table changes.
  std::span<const BlockRef> blocks() const { return blocks_; }
  // Where the slots in use of entry i are: in the block that it names or, for
  // as long as there is a copy to make of them, in its source.
  BlockId ContentOf(uint32_t i) const;

  // The ranks learn of this table as a copy of the parent's as they were told
  // it; what differs is its next edit. REQUIRES: they were told nothing of it.
  void TellAsFork(const BlockTable& parent);
  // The copy that must be made before a slot is written that was appended since
  // Reserve; at most once for each.
  std::optional<CopyOnWrite> TakeCopy();
  // Null: none.
  const CopyOnWrite* copy() const { return copy_ ? &*copy_ : nullptr; }

  // The edit that brings the ranks from what they were last told to what is;
  // nullopt when nothing changed. From here on they count as told.
  std::optional<TableEdit> TakeEdit();

 private:
  // Whether the next slot lies in a block that others read.
  bool NextSlotIsShared() const;
  // Of the slots in use of the block that the next one lies in.
  void StartCopy(const BlockRef& source, const BlockRef& own);
  void SetEntry(uint32_t entry, BlockRef block);

  BlockPool* const pool_;
  const uint32_t block_size_;
  std::vector<BlockRef> blocks_;
  std::optional<CopyOnWrite> copy_;  // Not yet taken.
  uint32_t num_slots_ = 0;
  uint32_t told_ = 0;       // Entries that the ranks hold.
  uint32_t unchanged_ = 0;  // Of these, the leading ones that still hold.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_MEMORY_BLOCK_TABLE_H_
