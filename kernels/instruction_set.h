#ifndef QUIRE_KERNELS_INSTRUCTION_SET_H_
#define QUIRE_KERNELS_INSTRUCTION_SET_H_

#include <array>
#include <optional>
#include <string_view>

namespace quire {

// The forms that CPU kernels come in, each faster than the one before. Sums are
// ordered differently in each, so ranks of a group must agree on one.
enum class InstructionSet {
  kScalar,  // Any x86-64.
  kAvx2,    // AVX2, FMA, F16C.
  kAvx512,  // AVX-512 F, BW, DQ, VL, VNNI and BF16.
  kAmx,     // The same, FP16, and the tile matrix unit (AMX) for bf16.
};
inline constexpr std::array kInstructionSets = {
    InstructionSet::kScalar, InstructionSet::kAvx2, InstructionSet::kAvx512,
    InstructionSet::kAmx};

// The best that this machine has and the operating system grants.
InstructionSet BestInstructionSet();
bool IsSupported(InstructionSet instruction_set);

// So many rows of a product take about as long as one: what takes long is to
// read the weights, or to unpack them for tiles, which have 16 rows.
int NumCheapRows(InstructionSet instruction_set);

// "scalar", "avx2", "avx512", "amx".
std::optional<InstructionSet> InstructionSetNamed(std::string_view name);
std::string_view InstructionSetName(InstructionSet instruction_set);

}  // namespace quire

#endif  // QUIRE_KERNELS_INSTRUCTION_SET_H_
