#ifndef QUIRE_WORKER_WEIGHTS_SHARD_PLAN_H_
#define QUIRE_WORKER_WEIGHTS_SHARD_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "common/modelfile/model_config.h"

namespace quire {

// Neighbours among things that are numbered from 0.
struct ShardRange {
  int64_t begin = 0;
  int64_t end = 0;  // Not included.

  int64_t size() const { return end - begin; }
  bool Contains(int64_t i) const { return begin <= i && i < end; }
  bool operator==(const ShardRange&) const = default;
};

// What one rank of a group holds and computes (Shoeybi et al., Megatron-LM,
// 2019). QKV, gate and up are split by their outputs, the attention's output
// and down by their inputs, embedding and output matrix by the vocabulary.
//
//   ranks <= KV heads   a rank has whole groups: KV heads and all query heads
//                       that share them;
//   ranks > KV heads    several ranks hold the same KV head and divide its
//                       query heads.
//
// Shares differ by one unit at most, and the first ranks have the larger ones.
struct ShardPlan {
  ShardRange heads;         // Query heads: rows of Q, inputs of the output.
  ShardRange kv_heads;      // Rows of K and of V.
  ShardRange intermediate;  // Rows of gate and of up, inputs of down.
  ShardRange vocabulary;    // Rows of embedding and output matrix.

  // Intermediate size and vocabulary are split at multiples of 32: groups of
  // inputs that are quantized together, strips of outputs. INVALID_ARGUMENT:
  // more ranks than a part of the model can be divided among. REQUIRES: 0 <=
  // rank < num_ranks.
  static absl::StatusOr<ShardPlan> Make(const ModelConfig& config, int rank,
                                        int num_ranks);
  // All of it: the only rank's.
  static ShardPlan Whole(const ModelConfig& config);

  bool operator==(const ShardPlan&) const = default;
};

// The plans of all ranks. Errors as Make's.
absl::StatusOr<std::vector<ShardPlan>> DivideModel(const ModelConfig& config,
                                                   int num_ranks);

// The sizes of a rank's layers: numbers of heads and the intermediate size are
// its own.
ModelConfig ShardConfig(const ModelConfig& config, const ShardPlan& shard);

}  // namespace quire

#endif  // QUIRE_WORKER_WEIGHTS_SHARD_PLAN_H_
