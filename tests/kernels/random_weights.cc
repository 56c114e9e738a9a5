#include "tests/kernels/random_weights.h"

#include <cstring>

#include "common/check.h"
#include "kernels/half_floats.h"

namespace quire {
namespace {

// Where a group's scale and, in some types, minimum are, as halves, and what
// they are where weights reach from -1 to 1 at most.
struct Scales {
  int64_t offset = 0;
  float scale = 0;
  float minimum = 0;
  bool has_minimum = false;
};

Scales ScalesOf(TensorType type) {
  switch (type) {
    case TensorType::kQ4_0:
      return {0, 1.0f / 8};
    case TensorType::kQ4_1:
      return {0, 1.0f / 8, -1.0f, true};
    case TensorType::kQ5_0:
      return {0, 1.0f / 16};
    case TensorType::kQ5_1:
      return {0, 1.0f / 16, -1.0f, true};
    case TensorType::kQ8_0:
      return {0, 1.0f / 128};
    case TensorType::kQ2_K:  // The rest times a scale and a minimum up to 15 ..
      return {80, 2.0f / (15 * 3), 1.0f / 15, true};
    case TensorType::kQ3_K:  // .. 32 ..
      return {108, 1.0f / (32 * 4)};
    case TensorType::kQ4_K:  // .. 63 ..
      return {0, 2.0f / (63 * 15), 1.0f / 63, true};
    case TensorType::kQ5_K:
      return {0, 2.0f / (63 * 31), 1.0f / 63, true};
    case TensorType::kQ6_K:  // .. and 128.
      return {208, 1.0f / (128 * 32)};
    default:
      QUIRE_CHECK(false);
      return {};
  }
}

void StoreHalf(float value, std::byte* destination) {
  const uint16_t half = F16FromFloat(value);
  std::memcpy(destination, &half, sizeof(half));
}

void StoreScales(TensorType type, float largest, std::byte* group) {
  const Scales scales = ScalesOf(type);
  StoreHalf(scales.scale * largest, group + scales.offset);
  if (!scales.has_minimum) return;
  StoreHalf(scales.minimum * largest, group + scales.offset + 2);
}

// The last tenth of the scale is random.
void RandomQuants(TensorType type, float largest, RandomFloats& random,
                  std::byte* group) {
  for (int64_t i = 0; i < GetTensorTypeInfo(type).bytes; ++i) {
    group[i] = static_cast<std::byte>(random.NextBits());
  }
  StoreScales(type, largest * (0.95f + 0.05f * random.Next()), group);
}

}  // namespace

std::vector<std::byte> RandomWeights(TensorType type, int64_t num_elements,
                                     float largest, RandomFloats& random) {
  const TensorTypeInfo& info = GetTensorTypeInfo(type);
  QUIRE_CHECK(num_elements % info.elements == 0);
  std::vector<std::byte> weights(num_elements / info.elements * info.bytes);
  for (size_t i = 0; i < weights.size(); i += info.bytes) {
    std::byte* group = &weights[i];
    const float value = random.Next() * largest;
    switch (type) {
      case TensorType::kF32:
        std::memcpy(group, &value, sizeof(value));
        break;
      case TensorType::kF16:
        StoreHalf(value, group);
        break;
      case TensorType::kBF16: {
        const uint16_t half = Bf16FromFloat(value);
        std::memcpy(group, &half, sizeof(half));
        break;
      }
      default:
        RandomQuants(type, largest, random, group);
    }
  }
  return weights;
}

std::vector<std::byte> UniformWeights(TensorType type, int64_t num_elements,
                                      std::byte fill) {
  const TensorTypeInfo& info = GetTensorTypeInfo(type);
  std::vector<std::byte> weights(num_elements / info.elements * info.bytes,
                                 fill);
  for (size_t i = 0; i < weights.size(); i += info.bytes) {
    StoreScales(type, 1.0f, &weights[i]);
  }
  return weights;
}

}  // namespace quire
