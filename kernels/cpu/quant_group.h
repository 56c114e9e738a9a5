#ifndef QUIRE_KERNELS_CPU_QUANT_GROUP_H_
#define QUIRE_KERNELS_CPU_QUANT_GROUP_H_

#include <cstddef>
#include <cstdint>

#include "common/modelfile/tensor.h"

namespace quire {

// What the quantized types have in common: 32 consecutive elements of a row,
//
//   element = scale * (quant - zero) + minimum.
//
// Scales and minima are exact in float32; a minimum that a type lacks is zero.
struct QuantGroup {
  uint8_t quants[32];
  float scales[2];  // Of elements 0 .. 15 and 16 .. 31, in many types equal.
  float minima[2];
};

struct QuantType {
  int zero = 0;
  bool minima = false;
};

// REQUIRES: a quantized type.
QuantType GetQuantType(TensorType type);
// Group `index` of a row as stored.
void ReadQuantGroup(TensorType type, const std::byte* row, int64_t index,
                    QuantGroup& group);

}  // namespace quire

#endif  // QUIRE_KERNELS_CPU_QUANT_GROUP_H_
