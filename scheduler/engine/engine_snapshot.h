#ifndef QUIRE_SCHEDULER_ENGINE_ENGINE_SNAPSHOT_H_
#define QUIRE_SCHEDULER_ENGINE_ENGINE_SNAPSHOT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/ids.h"
#include "scheduler/policy/order.h"

namespace quire {

enum class BlockState : uint8_t { kFree, kActive, kCached };

struct BlockCounts {
  uint32_t total = 0;
  uint32_t free = 0;
  uint32_t active = 0;
  uint32_t cached = 0;
  uint32_t shared = 0;      // Active ones with several references.
  uint32_t saved = 0;       // References beyond the first, over all blocks.
  uint32_t block_size = 0;  // Slots.
  uint64_t used_slots = 0;  // Slots of active blocks that hold tokens.
  uint64_t bytes_per_block = 0;
  uint32_t host_total = 0;  // Host blocks.
  uint32_t host_used = 0;
};

struct RequestSnapshot {
  RequestId id;
  std::string name;
  bool running = false;
  Priority priority = Priority::kNormal;
  uint32_t prompt_tokens = 0;
  uint32_t generated_tokens = 0;
  uint32_t num_sequences = 0;  // That have not ended.
  uint32_t num_blocks = 0;     // Entries of their tables.
  uint32_t num_preemptions = 0;
  absl::Duration age;
};

// Of one block: its state, how full it is, who holds it.
struct BlockSnapshot {
  BlockState state = BlockState::kFree;
  uint16_t used_slots = 0;
  int32_t request =
      -1;  // Index into EngineSnapshot::requests of one holder; -1 = none.
};

// The engine at one moment, between two steps.
struct EngineSnapshot {
  Epoch epoch;  // 0: no group is ready.
  uint32_t num_waiting = 0;
  uint32_t num_running = 0;
  uint64_t waiting_tokens = 0;
  BlockCounts blocks;
  // Since start.
  uint64_t num_steps = 0;
  uint64_t generated_tokens = 0;
  uint64_t prompt_tokens = 0;  // Computed ones.
  uint64_t cached_tokens = 0;  // Found instead.
  uint64_t num_preemptions = 0;
  uint64_t num_swap_preemptions = 0;  // Of these, to host blocks.
  uint64_t num_recomputed_tokens = 0;
  uint64_t num_blocks_swapped_out = 0;
  uint64_t num_blocks_swapped_in = 0;
  uint64_t num_discarded_tokens = 0;
  std::vector<RequestSnapshot>
      requests;  // Running, then waiting in the order of the queue.
  std::vector<BlockSnapshot> block_states;  // By id; empty unless asked for.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_ENGINE_SNAPSHOT_H_
