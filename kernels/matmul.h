#ifndef QUIRE_KERNELS_MATMUL_H_
#define QUIRE_KERNELS_MATMUL_H_

#include <cstddef>
#include <cstdint>

#include "kernels/instruction_set.h"
#include "kernels/matrix_format.h"
#include "kernels/packed_matrix.h"

namespace quire {

// The rows of a step in the form that a product reads: [group of 32
// inputs][row][32 inputs], in an element type that depends on format and
// instruction set; scales of all rows follow each group where there are some.
// Does not own `data`, which is aligned to 64 bytes.
struct PreparedRows {
  MatrixFormat format = MatrixFormat::kF32;
  int64_t num_inputs = 0;
  int64_t num_rows = 0;
  std::byte* data = nullptr;
  // In byte formats in lanes: each number has two bytes, 15 bits, the second
  // for what rounding to the first lost; but one where its group's rounding
  // adds little to the row's. Up to twice the arithmetic.
  bool fine = false;
};
int64_t PreparedRowsBytes(InstructionSet instruction_set, MatrixFormat format,
                          int64_t num_inputs, int64_t num_rows,
                          bool fine = false);

// Writes inputs [first_input, first_input + num_inputs) of one row. x:
// [num_inputs]. Different threads may write different rows, or different groups
// of one. REQUIRES: first_input is a multiple of 32; so is num_inputs, or the
// part ends the row. A fine row is one part.
void PrepareRow(InstructionSet instruction_set, const float* x,
                int64_t first_input, int64_t num_inputs, int64_t row,
                const PreparedRows& rows);

// Where a product goes.
struct ProductOutput {
  float* y = nullptr;  // [num_rows, stride], from the first strip's outputs on.
  int64_t stride = 0;  // Floats from row to row, no fewer than outputs.
  const float* bias = nullptr;  // [num_outputs] of the matrix, or null.
  bool add = false;             // Adds to y instead of overwriting it.
};

// The least stride for rows of so many outputs of which many are written in
// turns: an odd number of lines of 64 bytes. At multiples of 4 KB a cache has
// few places for them all.
constexpr int64_t StrideFor(int64_t num_outputs) {
  constexpr int64_t kLine = 16;
  const int64_t lines = (num_outputs + kLine - 1) / kLine;
  return (lines + 1 - lines % 2) * kLine;
}

// y[r, o - first_strip * 32] = (the same +) sum over k of rows[first_row + r,
// k]
// * matrix[o, k] (+ bias[o]), for r in [0, num_rows) and the outputs o of
// strips [first_strip, last_strip). Strips may be shared out among threads.
//
// A sum has an order that depends on format and instruction set alone: a row's
// result is the same, to the bit, in any batch and any cut into strips.
// REQUIRES: the rows were prepared in the same instruction set, for as many
// inputs, and in the matrix' format or both in byte formats.
void MatMul(InstructionSet instruction_set, const PackedMatrix& matrix,
            const PreparedRows& rows, int64_t first_row, int64_t num_rows,
            int64_t first_strip, int64_t last_strip,
            const ProductOutput& output);

}  // namespace quire

#endif  // QUIRE_KERNELS_MATMUL_H_
