#ifndef QUIRE_WORKER_WEIGHTS_WEIGHTS_H_
#define QUIRE_WORKER_WEIGHTS_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "common/ids.h"
#include "common/modelfile/model_files.h"
#include "kernels/packed_matrix.h"
#include "worker/executor/thread_pool.h"
#include "worker/weights/mapped_memory.h"
#include "worker/weights/shard_plan.h"

namespace quire {

// What products become of the stored weights. kExact: float32, to the bit.
// kFast: low precision, matrix by matrix: as stored where products can use that
// (see MatrixFormat), else bf16.
enum class WeightPrecision { kExact, kFast };

// Matrices one below the other that multiply the same prepared rows. Neighbours
// of one format are one matrix, so there is one, unless stored types differ.
using MatrixStack = std::vector<PackedMatrix>;

// One layer, of a rank's share of it: heads and intermediate size are its own.
struct LayerWeights {
  const float* attention_norm = nullptr;  // [hidden_size]
  MatrixStack qkv;  // Q, K, V: [(num_heads + 2 * num_kv_heads) * head_dim,
                    // hidden_size]
  const float* qkv_bias = nullptr;  // [outputs of qkv] or null.
  PackedMatrix attention_output;    // [hidden_size, num_heads * head_dim]
  const float* ffn_norm = nullptr;  // [hidden_size]
  PackedMatrix gate;                // [intermediate_size, hidden_size]
  PackedMatrix up;                  // [intermediate_size, hidden_size]
  PackedMatrix down;                // [hidden_size, intermediate_size]
};

// A rank's share of the weights of a model in the form that the kernels read,
// in memory of its own. Immutable, thread-safe.
class Weights {
 public:
  // Repacks the share, sharing the work out over `pool`; of the rest nothing is
  // read. INVALID_ARGUMENT names a tensor that is missing or of another shape
  // than the configuration asks for. `files` is not needed afterwards.
  static absl::StatusOr<std::unique_ptr<Weights>> Load(
      const ModelFiles& files, WeightPrecision precision,
      const ShardPlan& shard, ThreadPool* pool);
  // The whole model.
  static absl::StatusOr<std::unique_ptr<Weights>> Load(
      const ModelFiles& files, WeightPrecision precision, ThreadPool* pool);

  const std::vector<LayerWeights>& layers() const { return layers_; }
  const float* output_norm() const { return output_norm_; }  // [hidden_size]
  const PackedMatrix& output() const {
    return output_;
  }  // [vocabulary().size(), hidden_size]
  std::span<const float> rope_factors() const {
    return rope_factors_;
  }  // [head_dim / 2] or empty.

  // Tokens whose embedding and output row the rank has.
  const ShardRange& vocabulary() const { return vocabulary_; }
  int64_t num_bytes() const { return num_bytes_; }

  // The embedding of a token as stored, dequantized. row: [hidden_size].
  // REQUIRES: the token is in vocabulary().
  void Embed(Token token, float* row) const;

 private:
  friend class WeightsLoader;
  Weights() = default;

  MappedMemory memory_;
  int64_t num_bytes_ = 0;
  ShardRange vocabulary_;
  std::vector<LayerWeights> layers_;
  const float* output_norm_ = nullptr;
  PackedMatrix output_;
  std::span<const float> rope_factors_;
  // The stored embedding of vocabulary_; its rows are read one at a time.
  TensorType embedding_type_ = TensorType::kF32;
  const std::byte* embedding_ = nullptr;
  int64_t embedding_row_bytes_ = 0;
  int64_t hidden_size_ = 0;
};

}  // namespace quire

#endif  // QUIRE_WORKER_WEIGHTS_WEIGHTS_H_
