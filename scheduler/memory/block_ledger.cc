#include "scheduler/memory/block_ledger.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"

namespace quire {

absl::Status CheckReferences(const BlockPool& pool,
                             std::span<const BlockTable* const> tables) {
  std::vector<uint32_t> entries(pool.num_blocks(), 0);
  for (const BlockTable* table : tables) {
    for (const BlockRef& block : table->blocks()) ++entries[block.id().value()];
  }
  for (uint32_t i = 0; i < pool.num_blocks(); ++i) {
    if (pool.ref_count(BlockId(i)) == entries[i]) continue;
    return absl::InternalError(absl::StrCat(
        "block ", i, " has ", pool.ref_count(BlockId(i)), " references and ",
        entries[i], " entries in block tables"));
  }
  return absl::OkStatus();
}

}  // namespace quire
