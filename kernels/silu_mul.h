#ifndef QUIRE_KERNELS_SILU_MUL_H_
#define QUIRE_KERNELS_SILU_MUL_H_

#include <cstdint>

#include "kernels/instruction_set.h"

namespace quire {

// y = gate / (1 + e^-gate) * up. gate, up, y: [size]; y may be either. An
// element's bits do not depend on how a row is cut.
void SiluMul(InstructionSet instruction_set, const float* gate, const float* up,
             int64_t size, float* y);

}  // namespace quire

#endif  // QUIRE_KERNELS_SILU_MUL_H_
