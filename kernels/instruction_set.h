#ifndef QUIRE_KERNELS_INSTRUCTION_SET_H_
#define QUIRE_KERNELS_INSTRUCTION_SET_H_

#include <string_view>

namespace quire {

// The forms that CPU kernels come in, each faster than the one before. Sums are
// ordered differently in each, so ranks of a group must agree on one.
enum class InstructionSet {
  kScalar,  // Any x86-64.
  kAvx2,    // AVX2, FMA, F16C.
  kAvx512,  // AVX-512 F, BW, DQ, VL, VNNI and BF16.
};

// The best that this machine has.
InstructionSet BestInstructionSet();
bool IsSupported(InstructionSet instruction_set);

// "scalar", "avx2", "avx512".
std::string_view InstructionSetName(InstructionSet instruction_set);

}  // namespace quire

#endif  // QUIRE_KERNELS_INSTRUCTION_SET_H_
