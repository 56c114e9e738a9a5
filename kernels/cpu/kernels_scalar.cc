#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/attention.h"
#include "kernels/cpu/attention_state.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/target.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/half_floats.h"
#include "kernels/matmul.h"

namespace quire::scalar {
namespace {

// Each uses those above it.
// clang-format off
#include "kernels/cpu/lanes_scalar.inc"
#include "kernels/cpu/lane_math.inc"
#include "kernels/cpu/products.inc"
#include "kernels/cpu/product_tile.inc"
#include "kernels/cpu/matmul_float.inc"
#include "kernels/cpu/matmul_bytes.inc"
#include "kernels/cpu/attention_tile.inc"
#include "kernels/cpu/attention_lanes.inc"
#include "kernels/cpu/lanes_only.inc"
#include "kernels/cpu/matmul.inc"
#include "kernels/cpu/attention.inc"
#include "kernels/cpu/rms_norm.inc"
#include "kernels/cpu/silu_mul.inc"
#include "kernels/cpu/rope.inc"
// clang-format on

}  // namespace

const KernelTable kKernels = {
    .prepared_group_bytes = PreparedGroupBytes,
    .prepare_row = PrepareRow,
    .matmul = MatMul,
    .rms_norm = RmsNorm,
    .silu_mul = SiluMul,
    .rotate_halves = RotateHalves,
    .rotate_neighbours = RotateNeighbours,
    .attend = Attend,
    .merge_attention = MergeAttention,
    .finish_attention = FinishAttention,
};

}  // namespace quire::scalar
