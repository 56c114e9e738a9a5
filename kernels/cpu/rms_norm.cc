#include "kernels/rms_norm.h"

#include "kernels/cpu/kernel_table.h"

namespace quire {

void RmsNorm(InstructionSet instruction_set, const float* x,
             const float* weight, int64_t size, float epsilon, float* y) {
  GetKernelTable(instruction_set).rms_norm(x, weight, size, epsilon, y);
}

}  // namespace quire
