#ifndef QUIRE_KERNELS_RMS_NORM_H_
#define QUIRE_KERNELS_RMS_NORM_H_

#include <cstdint>

#include "kernels/instruction_set.h"

namespace quire {

// y = x / sqrt(mean(x^2) + epsilon) * weight (Zhang and Sennrich, 2019). x,
// weight, y: [size]; y may be x.
void RmsNorm(InstructionSet instruction_set, const float* x,
             const float* weight, int64_t size, float epsilon, float* y);

}  // namespace quire

#endif  // QUIRE_KERNELS_RMS_NORM_H_
