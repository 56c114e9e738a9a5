#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/attention.h"
#include "kernels/cpu/attention_state.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/target.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/matmul.h"

QUIRE_BEGIN_TARGET_AVX2

namespace quire::avx2 {
namespace {

// Each uses those above it.
// clang-format off
#include "kernels/cpu/lanes_avx2.inc"
#include "kernels/cpu/lane_kernels.inc"
#include "kernels/cpu/lanes_only.inc"
#include "kernels/cpu/kernels.inc"
// clang-format on

}  // namespace

#include "kernels/cpu/kernels_table.inc"

}  // namespace quire::avx2

QUIRE_END_TARGET
