#include "kernels/cpu/kernel_table.h"

namespace quire {

const KernelTable& GetKernelTable(InstructionSet instruction_set) {
  switch (instruction_set) {
    case InstructionSet::kAmx:
      return amx::kKernels;
    case InstructionSet::kAvx512:
      return avx512::kKernels;
    case InstructionSet::kAvx2:
      return avx2::kKernels;
    case InstructionSet::kScalar:
      break;
  }
  return scalar::kKernels;
}

}  // namespace quire
