#ifndef QUIRE_SCHEDULER_MEMORY_SWAPPED_SLOTS_H_
#define QUIRE_SCHEDULER_MEMORY_SWAPPED_SLOTS_H_

#include <cstdint>
#include <vector>

#include "scheduler/memory/host_block_pool.h"

namespace quire {

// The slots in use of a block table that was swapped out: what logical block i
// held is in host block i.
struct SwappedSlots {
  std::vector<HostBlockRef> blocks;  // [BlocksForSlots(num_slots)]
  uint32_t num_slots = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_MEMORY_SWAPPED_SLOTS_H_
