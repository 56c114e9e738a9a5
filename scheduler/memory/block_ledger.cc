#include "scheduler/memory/block_ledger.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"

namespace quire {

absl::Status CheckReferences(const BlockPool& pool,
                             std::span<const BlockTable* const> tables) {
  std::vector<uint32_t> entries(pool.num_blocks(), 0);
  std::vector<uint32_t> copies(pool.num_blocks(), 0);
  for (const BlockTable* table : tables) {
    for (const BlockRef& block : table->blocks()) ++entries[block.id().value()];
    if (table->copy() != nullptr) ++copies[table->copy()->source.id().value()];
  }
  for (uint32_t i = 0; i < pool.num_blocks(); ++i) {
    const uint32_t num_refs = pool.ref_count(BlockId(i));
    const uint32_t num_pins = pool.pin_count(BlockId(i));
    if (num_refs == entries[i] && num_pins == copies[i]) continue;
    return absl::InternalError(
        absl::StrCat("block ", i, " has ", num_refs, " references, ",
                     entries[i], " entries in block tables, ", num_pins,
                     " pins and ", copies[i], " copies to be made of it"));
  }
  return absl::OkStatus();
}

}  // namespace quire
