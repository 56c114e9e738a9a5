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

QUIRE_BEGIN_TARGET_AMX

namespace quire::amx {
namespace {

// Each uses those above it.
// clang-format off
#include "kernels/cpu/lanes_avx512.inc"
#include "kernels/cpu/lane_kernels.inc"
#include "kernels/cpu/tiles_amx.inc"
#include "kernels/cpu/unpack_amx.inc"
#include "kernels/cpu/matmul_amx.inc"
#include "kernels/cpu/attention_weights_amx.inc"
#include "kernels/cpu/attention_amx.inc"
#include "kernels/cpu/attention_few_amx.inc"
#include "kernels/cpu/kernels.inc"
// clang-format on

}  // namespace

#include "kernels/cpu/kernels_table.inc"

}  // namespace quire::amx

QUIRE_END_TARGET
