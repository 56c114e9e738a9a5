#include "kernels/silu_mul.h"

#include "kernels/cpu/kernel_table.h"

namespace quire {

void SiluMul(InstructionSet instruction_set, const float* gate, const float* up,
             int64_t size, float* y) {
  GetKernelTable(instruction_set).silu_mul(gate, up, size, y);
}

}  // namespace quire
