#ifndef QUIRE_SCHEDULER_SIM_MEMORY_SPLIT_H_
#define QUIRE_SCHEDULER_SIM_MEMORY_SPLIT_H_

#include <cstdint>

#include "scheduler/sim/model_shape.h"

namespace quire {

// What a replica's memory is used for.
struct MemorySplit {
  uint64_t weight_bytes = 0;
  uint64_t block_bytes = 0;
  uint64_t num_blocks = 0;
  uint64_t num_slots = 0;  // Of these blocks.
  // The longest request of one sequence that can be served, prompt and answer
  // together: the context, or less where the blocks do not suffice.
  uint64_t longest_request = 0;  // Tokens.
  uint64_t longest_blocks = 0;   // That it holds at its end.
  uint64_t num_longest = 0;      // That run together.
};
// REQUIRES: block_size is not 0, and there is a slot.
MemorySplit SplitMemory(const ModelShape& shape, uint32_t block_size);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_MEMORY_SPLIT_H_
