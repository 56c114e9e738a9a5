#include "worker/weights/weights.h"

#include "kernels/dequantize.h"
#include "worker/weights/weights_loader.h"

namespace quire {

absl::StatusOr<std::unique_ptr<Weights>> Weights::Load(
    const ModelFiles& files, WeightPrecision precision, ThreadPool* pool) {
  return WeightsLoader(files, precision, pool).Load();
}

void Weights::Embed(Token token, float* row) const {
  Dequantize(embedding_type_, embedding_ + token * embedding_row_bytes_,
             hidden_size_, row);
}

}  // namespace quire
