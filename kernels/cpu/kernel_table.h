#ifndef QUIRE_KERNELS_CPU_KERNEL_TABLE_H_
#define QUIRE_KERNELS_CPU_KERNEL_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "kernels/instruction_set.h"
#include "kernels/matrix_format.h"
#include "kernels/packed_matrix.h"

namespace quire {

struct AttentionCall;
struct PreparedRows;
struct ProductOutput;

// The kernels in one instruction set. Contracts are those of the functions in
// kernels/*.h, which look up the table and call.
struct KernelTable {
  // Bytes of 32 inputs of one row in PreparedRows.
  int64_t (*prepared_group_bytes)(MatrixFormat format, bool fine);
  void (*prepare_row)(const float* x, int64_t first_input, int64_t num_inputs,
                      int64_t row, const PreparedRows& rows);
  void (*matmul)(const PackedMatrix& matrix, const PreparedRows& rows,
                 int64_t first_row, int64_t num_rows, int64_t first_strip,
                 int64_t last_strip, const ProductOutput& output);
  void (*rms_norm)(const float* x, const float* weight, int64_t size,
                   float epsilon, float* y);
  void (*silu_mul)(const float* gate, const float* up, int64_t size, float* y);
  void (*rotate_halves)(const float* cosines, const float* sines, int num_heads,
                        int head_dim, float* x);
  void (*rotate_neighbours)(const float* cosines, const float* sines,
                            int num_heads, int head_dim, float* x);
  void (*attend)(const AttentionCall& call);
  void (*merge_attention)(int head_dim, const float* later, float* state);
  void (*finish_attention)(int head_dim, const float* state, float* output);
};

const KernelTable& GetKernelTable(InstructionSet instruction_set);

// Bytes from one group of PreparedRows to the next: an odd number of lines, so
// that groups spread over the cache's sets.
inline int64_t PreparedGroupPitch(int64_t group_bytes, int64_t num_rows) {
  const int64_t lines = (group_bytes * num_rows + 63) / 64;
  return (lines | 1) * 64;
}

// Kernels that work on tiles of 16 rows read so far behind the last row, and
// use nothing of it.
inline constexpr int64_t kPreparedRowsSlack = 16 * 64;

namespace scalar {
extern const KernelTable kKernels;
}
namespace avx2 {
extern const KernelTable kKernels;
}
namespace avx512 {
extern const KernelTable kKernels;
}
namespace amx {
extern const KernelTable kKernels;
}

}  // namespace quire

#endif  // QUIRE_KERNELS_CPU_KERNEL_TABLE_H_
