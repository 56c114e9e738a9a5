#include "kernels/instruction_set.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace quire {
namespace {

// Whether the processor has AMX for bf16, with the halves that all processors
// with AMX have, and Linux lets this process use its registers, which it does
// on request only (since 5.16).
bool HasTiles() {
#if defined(__x86_64__) && defined(__linux__)
  constexpr unsigned kHalves = 1U << 23;  // AVX512_FP16.
  constexpr unsigned kTileBits = bit_AMX_TILE | bit_AMX_BF16 | kHalves;
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  static const bool has_tiles =
      __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 &&
      (edx & kTileBits) == kTileBits &&
      syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return has_tiles;
#else
  return false;
#endif
}

}  // namespace

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
    case InstructionSet::kAmx:
      return IsSupported(InstructionSet::kAvx512) && HasTiles();
  }
  return false;
}

InstructionSet BestInstructionSet() {
  InstructionSet best = InstructionSet::kScalar;
  for (const InstructionSet set : kInstructionSets) {
    if (IsSupported(set)) best = set;
  }
  return best;
}

int NumCheapRows(InstructionSet instruction_set) {
  switch (instruction_set) {
    case InstructionSet::kScalar:
    case InstructionSet::kAvx2:
      return 1;
    case InstructionSet::kAvx512:
      return 4;
    case InstructionSet::kAmx:
      return 16;
  }
  return 1;
}

std::optional<InstructionSet> InstructionSetNamed(std::string_view name) {
  for (const InstructionSet set : kInstructionSets) {
    if (InstructionSetName(set) == name) return set;
  }
  return std::nullopt;
}

std::string_view InstructionSetName(InstructionSet instruction_set) {
  switch (instruction_set) {
    case InstructionSet::kScalar:
      return "scalar";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kAvx512:
      return "avx512";
    case InstructionSet::kAmx:
      return "amx";
  }
  return "unknown";
}

}  // namespace quire
