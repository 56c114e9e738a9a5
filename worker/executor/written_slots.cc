#include "worker/executor/written_slots.h"

namespace quire {

int64_t WrittenSlots::Leading(std::span<const BlockId> table,
                              int64_t limit) const {
  int64_t leading = 0;
  for (const BlockId block : table) {
    leading += in(block);
    if (in(block) < block_size_ || leading >= limit) break;
  }
  return leading;
}

}  // namespace quire
