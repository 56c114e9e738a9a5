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
//   activations  = room / 16, but 64 MiB to 1 GiB
//   head room    = room / 8, but at least 256 MiB
//   KV cache     = room - activations - head room
//
// What is resident now, weights included, is in neither part of `room`. The
// activations are the buffers of a step, whose rows they bound; the head room
// is for messages, sequences and neighbours.
struct MemoryBudget {
  int64_t kv_cache_bytes = 0;
  int64_t activation_bytes = 0;
};

// `setting` is "auto" or what ParseBytes takes; a given size is the KV cache's
// and is not checked against the room: the operator may know better.
// INVALID_ARGUMENT: no size. RESOURCE_EXHAUSTED: "auto", and no room is left.
// `root` is "" but in tests.
absl::StatusOr<MemoryBudget> PlanMemory(std::string_view setting,
                                        const std::string& root);

// "1073741824", "512MiB", "2GiB", "1.5GiB"; KiB, MiB, GiB and TiB are powers of
// 1,024. INVALID_ARGUMENT: anything else, nothing, or more than 2^60.
absl::StatusOr<int64_t> ParseBytes(std::string_view text);

// Rows of a step whose buffers fit into `activation_bytes`: for each row the
// hidden state and its residual, Q, K, V and the attention's output, gate, up
// and their product, in float32, twice over for packed copies. At least 1,024.
int MaxStepRows(const ModelConfig& config, int64_t activation_bytes);

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_MEMORY_BUDGET_H_
