#include "common/modelfile/tensor.h"

#include "common/check.h"

namespace quire {

const TensorTypeInfo& GetTensorTypeInfo(TensorType type) {
  static constexpr TensorTypeInfo kF32 = {"F32", 1, 4};
  static constexpr TensorTypeInfo kF16 = {"F16", 1, 2};
  static constexpr TensorTypeInfo kBF16 = {"BF16", 1, 2};
  // Half-precision scale (and minimum) of 32 elements, high bits, low bits.
  static constexpr TensorTypeInfo kQ4_0 = {"Q4_0", 32, 2 + 16};
  static constexpr TensorTypeInfo kQ4_1 = {"Q4_1", 32, 4 + 16};
  static constexpr TensorTypeInfo kQ5_0 = {"Q5_0", 32, 2 + 4 + 16};
  static constexpr TensorTypeInfo kQ5_1 = {"Q5_1", 32, 4 + 4 + 16};
  static constexpr TensorTypeInfo kQ8_0 = {"Q8_0", 32, 2 + 32};
  // Superblocks of 256: scales of the groups in them, bits, half-precision
  // scale (and minimum) of the scales.
  static constexpr TensorTypeInfo kQ2_K = {"Q2_K", 256, 16 + 64 + 4};
  static constexpr TensorTypeInfo kQ3_K = {"Q3_K", 256, 32 + 64 + 12 + 2};
  static constexpr TensorTypeInfo kQ4_K = {"Q4_K", 256, 4 + 12 + 128};
  static constexpr TensorTypeInfo kQ5_K = {"Q5_K", 256, 4 + 12 + 32 + 128};
  static constexpr TensorTypeInfo kQ6_K = {"Q6_K", 256, 128 + 64 + 16 + 2};
  switch (type) {
    case TensorType::kF32:
      return kF32;
    case TensorType::kF16:
      return kF16;
    case TensorType::kBF16:
      return kBF16;
    case TensorType::kQ4_0:
      return kQ4_0;
    case TensorType::kQ4_1:
      return kQ4_1;
    case TensorType::kQ5_0:
      return kQ5_0;
    case TensorType::kQ5_1:
      return kQ5_1;
    case TensorType::kQ8_0:
      return kQ8_0;
    case TensorType::kQ2_K:
      return kQ2_K;
    case TensorType::kQ3_K:
      return kQ3_K;
    case TensorType::kQ4_K:
      return kQ4_K;
    case TensorType::kQ5_K:
      return kQ5_K;
    case TensorType::kQ6_K:
      return kQ6_K;
  }
  QUIRE_CHECK(false && "a value outside TensorType");
  return kF32;
}

int64_t TensorView::num_elements() const {
  int64_t product = 1;
  for (const int64_t dimension : shape) product *= dimension;
  return product;
}

}  // namespace quire
