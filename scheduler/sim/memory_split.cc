#include "scheduler/sim/memory_split.h"

#include <algorithm>

#include "scheduler/memory/capacity.h"

namespace quire {

MemorySplit SplitMemory(const ModelShape& shape, uint32_t block_size) {
  MemorySplit split;
  split.weight_bytes = shape.weight_bytes();
  split.block_bytes = block_size * shape.bytes_per_slot();
  split.num_blocks = shape.num_slots / block_size;
  split.num_slots = split.num_blocks * block_size;
  split.longest_request =
      std::min<uint64_t>(shape.context_length, split.num_slots + 1);
  split.longest_blocks = BlocksForRequest(split.longest_request, block_size);
  split.num_longest = split.num_blocks / split.longest_blocks;
  return split;
}

}  // namespace quire
