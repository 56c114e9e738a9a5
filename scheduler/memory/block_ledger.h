#ifndef QUIRE_SCHEDULER_MEMORY_BLOCK_LEDGER_H_
#define QUIRE_SCHEDULER_MEMORY_BLOCK_LEDGER_H_

#include <span>

#include "absl/status/status.h"
#include "scheduler/memory/block_pool.h"
#include "scheduler/memory/block_table.h"

namespace quire {

// Double entry: whether each block's reference count is the number of entries
// that name it in `tables`, which are all tables there are. INTERNAL names the
// first block that is off, with both numbers. O(num_blocks + entries).
absl::Status CheckReferences(const BlockPool& pool,
                             std::span<const BlockTable* const> tables);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_MEMORY_BLOCK_LEDGER_H_
