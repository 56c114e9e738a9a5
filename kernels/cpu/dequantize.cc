#include "kernels/dequantize.h"

#include <cstring>

#include "common/check.h"
#include "kernels/cpu/quant_group.h"
#include "kernels/half_floats.h"

// The order of roundings is part of the contract: scale times quant first, then
// the minimum.

namespace quire {
namespace {

void DequantizeGroups(TensorType type, const std::byte* source,
                      int64_t num_groups, float* y) {
  const QuantType info = GetQuantType(type);
  QuantGroup group;
  for (int64_t i = 0; i < num_groups; ++i, y += 32) {
    ReadQuantGroup(type, source, i, group);
    for (int j = 0; j < 32; ++j) {
      y[j] = group.scales[j / 16] *
             static_cast<float>(group.quants[j] - info.zero);
    }
    if (!info.minima) continue;  // Adding zero would lose the sign of a zero.
    for (int j = 0; j < 32; ++j) y[j] += group.minima[j / 16];
  }
}

template <float (*kFloatFrom)(uint16_t)>
void ConvertHalves(const std::byte* source, int64_t num_elements, float* y) {
  for (int64_t i = 0; i < num_elements; ++i) {
    uint16_t half;
    std::memcpy(&half, source + i * 2, sizeof(half));
    y[i] = kFloatFrom(half);
  }
}

}  // namespace

void Dequantize(TensorType type, const std::byte* source, int64_t num_elements,
                float* destination) {
  QUIRE_CHECK(num_elements % GetTensorTypeInfo(type).elements == 0);
  switch (type) {
    case TensorType::kF32:
      std::memcpy(destination, source, num_elements * sizeof(float));
      return;
    case TensorType::kF16:
      return ConvertHalves<FloatFromF16>(source, num_elements, destination);
    case TensorType::kBF16:
      return ConvertHalves<FloatFromBf16>(source, num_elements, destination);
    default:
      return DequantizeGroups(type, source, num_elements / 32, destination);
  }
}

}  // namespace quire
