#include "kernels/instruction_set.h"

namespace quire {

bool IsSupported(InstructionSet instruction_set) {
  switch (instruction_set) {
    case InstructionSet::kScalar:
      return true;
    case InstructionSet::kAvx2:
      // F16C is older than AVX2, and clang 14 cannot ask for it.
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case InstructionSet::kAvx512:
      return IsSupported(InstructionSet::kAvx2) &&
             __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512vnni") &&
             __builtin_cpu_supports("avx512bf16");
  }
  return false;
}

InstructionSet BestInstructionSet() {
  if (IsSupported(InstructionSet::kAvx512)) return InstructionSet::kAvx512;
  if (IsSupported(InstructionSet::kAvx2)) return InstructionSet::kAvx2;
  return InstructionSet::kScalar;
}

std::string_view InstructionSetName(InstructionSet instruction_set) {
  switch (instruction_set) {
    case InstructionSet::kScalar:
      return "scalar";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kAvx512:
      return "avx512";
  }
  return "unknown";
}

}  // namespace quire
