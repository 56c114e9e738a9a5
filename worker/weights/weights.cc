#include "worker/weights/weights.h"

#include "kernels/dequantize.h"
#include "worker/weights/weights_loader.h"

namespace quire {

absl::StatusOr<std::unique_ptr<Weights>> Weights::Load(
    const ModelFiles& files, WeightPrecision precision, const ShardPlan& shard,
    ThreadPool* pool) {
  return WeightsLoader(files, precision, shard, pool).Load();
}

absl::StatusOr<std::unique_ptr<Weights>> Weights::Load(
    const ModelFiles& files, WeightPrecision precision, ThreadPool* pool) {
  return Load(files, precision, ShardPlan::Whole(files.config()), pool);
}

void Weights::Embed(Token token, float* row) const {
  Dequantize(embedding_type_,
             embedding_ + (token - vocabulary_.begin) * embedding_row_bytes_,
             hidden_size_, row);
}

}  // namespace quire
