#ifndef QUIRE_SCHEDULER_MEMORY_BLOCK_LEDGER_H_
#define QUIRE_SCHEDULER_MEMORY_BLOCK_LEDGER_H_

#include <span>

#include "absl/status/status.h"
#include "scheduler/memory/block_pool.h"
#include "scheduler/memory/block_table.h"

namespace quire {

// Double entry: whether each block's reference count is the number of entries
// that name it in `tables`, which are all tables there are, and its pins are
// the copies that these are still to make of it. INTERNAL names the first block
// that is off, with the numbers. O(num_blocks + entries).
absl::Status CheckReferences(const BlockPool& pool,
                             std::span<const BlockTable* const> tables);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_MEMORY_BLOCK_LEDGER_H_
