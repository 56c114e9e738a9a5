#ifndef QUIRE_WORKER_EXECUTOR_MEMORY_BUDGET_H_
#define QUIRE_WORKER_EXECUTOR_MEMORY_BUDGET_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/modelfile/model_config.h"

namespace quire {

// Memory left to this process, asked once the weights are loaded:
//
//   room         = min(MemAvailable, for each control group that holds this
//                  process: limit - usage that is not droppable page cache)
//                  / ranks of the group on this machine
//   activations  = room / 16, but 64 MiB to 1 GiB
//   head room    = room / 8, but at least 256 MiB
//   KV memory    = room - activations - head room
//   KV cache     = 4/5 of the KV memory
//   host blocks  = 1/5 of it, a quarter of what the cache gets
//   resident     = a quarter of the cache, or all of one whose size is given,
//                  but no more than half of the KV memory and 4 GiB
//
// What is resident now, weights included, is in neither part of `room`. The
// activations are the buffers of a step, whose rows they bound; the head room
// is for messages, sequences and neighbours.
struct MemoryBudget {
  int64_t kv_cache_bytes = 0;
  int64_t host_kv_bytes = 0;
  int64_t activation_bytes = 0;
  // Of the cache, from the start, so that no step waits for pages to be
  // cleared. The rest may be needed by others before it is by sequences.
  int64_t resident_kv_bytes = 0;
};

// "auto", or what ParseBytes takes; of host blocks also "0".
struct MemorySettings {
  std::string kv_cache = "auto";
  std::string host_kv = "auto";
  int num_ranks_here = 1;  // This one included; they share the room.
};

// A given size is not checked against the room: the operator may know better.
// Beside it "auto" gets no more than it leaves of the KV memory: the cache all
// of that, host blocks at most a quarter of the cache. INVALID_ARGUMENT: no
// size. RESOURCE_EXHAUSTED: the cache is "auto", and no room is left. `root` is
// "" but in tests.
absl::StatusOr<MemoryBudget> PlanMemory(const MemorySettings& settings,
                                        const std::string& root);

// "1073741824", "512MiB", "2GiB", "1.5GiB"; KiB, MiB, GiB and TiB are powers of
// 1,024. INVALID_ARGUMENT: anything else, nothing, or more than 2^60.
absl::StatusOr<int64_t> ParseBytes(std::string_view text);

// The same, but "0" is a size.
absl::StatusOr<int64_t> ParseBytesOrNone(std::string_view text);

// Rows of a step whose buffers fit into `activation_bytes`: for each row the
// hidden state and its residual, Q, K, V and the attention's output, gate, up
// and their product, in float32, twice over for packed copies. At least 1,024.
int MaxStepRows(const ModelConfig& config, int64_t activation_bytes);

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_MEMORY_BUDGET_H_
