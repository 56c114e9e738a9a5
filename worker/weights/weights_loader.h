#ifndef QUIRE_WORKER_WEIGHTS_WEIGHTS_LOADER_H_
#define QUIRE_WORKER_WEIGHTS_WEIGHTS_LOADER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/modelfile/model_files.h"
#include "kernels/packed_matrix.h"
#include "worker/executor/thread_pool.h"
#include "worker/weights/weights.h"

namespace quire {

// Builds a Weights: first every tensor is found, checked and given its place,
// in the order in which a step reads them; then one range of memory is
// allocated and filled. Used once.
class WeightsLoader {
 public:
  WeightsLoader(const ModelFiles& files, WeightPrecision precision,
                ThreadPool* pool);

  absl::StatusOr<std::unique_ptr<Weights>> Load();

 private:
  // A place in memory to be filled from tensors that lie one below the other,
  // and whoever is told where it is.
  struct MatrixPlace {
    std::vector<const TensorView*> parts;
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
  absl::Status PlaceQkvBias(const std::string& prefix, LayerWeights& weights);
  absl::Status PlaceFeedForward(const std::string& prefix,
                                LayerWeights& weights);
  absl::Status PlaceEmbedding();

  // Matrices are [rows[i], num_inputs], vectors [sizes[i]].
  struct Part {
    std::string name;
    int64_t size;
  };
  absl::Status PlaceMatrix(const std::vector<Part>& parts, int64_t num_inputs,
                           PackedMatrix& matrix);
  absl::Status PlaceStack(const std::vector<Part>& parts, int64_t num_inputs,
                          MatrixStack& stack);
  // What lies together in a stack: neighbours of one format, or all where some
  // have no byte format, since formats must share prepared rows.
  std::vector<std::vector<Part>> SplitByFormat(
      const std::vector<Part>& parts) const;
  absl::Status PlaceVector(const std::vector<Part>& parts,
                           const float*& vector);
  absl::StatusOr<const TensorView*> Find(
      const std::string& name, const std::vector<int64_t>& shape) const;
  MatrixFormat FormatFor(const std::vector<const TensorView*>& parts) const;
  // Room for so many bytes, on a line of its own. Returns its offset.
  int64_t Reserve(int64_t num_bytes);

  void FillVectors();
  void FillMatrices();
  void CopyEmbedding();

  const ModelFiles& files_;
  const ModelConfig& config_;
  const WeightPrecision precision_;
  ThreadPool* const pool_;
  std::unique_ptr<Weights> weights_;
  std::vector<MatrixPlace> matrices_;
  std::vector<VectorPlace> vectors_;
  const TensorView* embedding_ = nullptr;
  int64_t embedding_offset_ = 0;
  const float* rope_factors_ = nullptr;
  int64_t num_bytes_ = 0;
};

}  // namespace quire

#endif  // QUIRE_WORKER_WEIGHTS_WEIGHTS_LOADER_H_
