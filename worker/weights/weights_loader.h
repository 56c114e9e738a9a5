#ifndef QUIRE_WORKER_WEIGHTS_WEIGHTS_LOADER_H_
#define QUIRE_WORKER_WEIGHTS_WEIGHTS_LOADER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/modelfile/model_files.h"
#include "kernels/packed_matrix.h"
#include "worker/executor/thread_pool.h"
#include "worker/weights/shard_plan.h"
#include "worker/weights/weights.h"

namespace quire {

// Builds a Weights: first every tensor is found and checked, and the rank's
// share of it given its place, in the order in which a step reads them; then
// one range of memory is allocated and filled. Used once.
class WeightsLoader {
 public:
  WeightsLoader(const ModelFiles& files, WeightPrecision precision,
                const ShardPlan& shard, ThreadPool* pool);

  absl::StatusOr<std::unique_ptr<Weights>> Load();

 private:
  // A place in memory to be filled from tensors that lie one below the other,
  // and whoever is told where it is.
  struct MatrixPlace {
    std::vector<const TensorView*> parts;
    int64_t first_input = 0;
    int64_t offset = 0;
    PackedMatrix* matrix = nullptr;
  };
  struct VectorPlace {
    std::vector<const TensorView*> parts;
    int64_t offset = 0;
    const float** vector = nullptr;
  };

  absl::Status PlaceAll();
  absl::Status PlaceLayer(int64_t layer);
  absl::Status PlaceAttention(const std::string& prefix, LayerWeights& weights);
  absl::Status PlaceFeedForward(const std::string& prefix,
                                LayerWeights& weights);
  absl::Status PlaceEmbedding();

  // Matrices are [size, num_inputs], vectors [size]; rows `share` of them are
  // the rank's.
  struct Part {
    std::string name;
    int64_t size;
    ShardRange share;
  };
  struct Inputs {
    int64_t size;
    ShardRange share;
  };
  static Part Whole(const std::string& name, int64_t size) {
    return {name, size, {0, size}};
  }
  // Of Q, K and V, of kind ".weight" or ".bias".
  std::vector<Part> QkvParts(const std::string& prefix,
                             const std::string& kind) const;
  Inputs AllInputs() const {
    return {config_.hidden_size, {0, config_.hidden_size}};
  }
  absl::Status PlaceMatrix(const std::vector<Part>& parts, const Inputs& inputs,
                           PackedMatrix& matrix, bool may_be_bytes = true);
  absl::Status PlaceStack(const std::vector<Part>& parts, const Inputs& inputs,
                          MatrixStack& stack);
  // Whether all have byte formats, which can share prepared rows.
  bool HaveByteFormats(const std::vector<Part>& parts) const;
  // What lies together in a stack: neighbours of one format, or all where some
  // have no byte format.
  std::vector<std::vector<Part>> SplitByFormat(
      const std::vector<Part>& parts) const;
  absl::Status PlaceVector(const std::vector<Part>& parts,
                           const float*& vector);
  // Rows of a tensor.
  const TensorView* Slice(const TensorView* tensor, const ShardRange& rows);
  absl::StatusOr<const TensorView*> Find(
      const std::string& name, const std::vector<int64_t>& shape) const;
  MatrixFormat FormatFor(const std::vector<const TensorView*>& parts) const;
  // As above, for some of the inputs alone.
  MatrixFormat FormatFor(const std::vector<const TensorView*>& parts,
                         const ShardRange& inputs) const;
  // Room for so many bytes, on a line of its own. Returns its offset.
  int64_t Reserve(int64_t num_bytes);

  void FillVectors();
  absl::Status FillMatrices();
  void CopyEmbedding();

  const ModelFiles& files_;
  const ModelConfig& config_;
  const WeightPrecision precision_;
  const ShardPlan shard_;
  ThreadPool* const pool_;
  std::unique_ptr<Weights> weights_;
  std::vector<MatrixPlace> matrices_;
  std::vector<VectorPlace> vectors_;
  std::deque<TensorView> slices_;  // Parts of places point to them.
  const TensorView* embedding_ = nullptr;
  int64_t embedding_offset_ = 0;
  const float* rope_factors_ = nullptr;
  int64_t num_bytes_ = 0;
};

}  // namespace quire

#endif  // QUIRE_WORKER_WEIGHTS_WEIGHTS_LOADER_H_
