#include "kernels/matmul.h"

#include "common/check.h"
#include "kernels/cpu/kernel_table.h"

namespace quire {

int64_t PreparedRowsBytes(InstructionSet instruction_set, MatrixFormat format,
                          int64_t num_inputs, int64_t num_rows, bool fine) {
  const int64_t group_bytes =
      GetKernelTable(instruction_set).prepared_group_bytes(format, fine);
  const int64_t num_groups = (num_inputs + kInputGroup - 1) / kInputGroup;
  return num_groups * PreparedGroupPitch(group_bytes, num_rows) +
         kPreparedRowsSlack;
}

void PrepareRow(InstructionSet instruction_set, const float* x,
                int64_t first_input, int64_t num_inputs, int64_t row,
                const PreparedRows& rows) {
  GetKernelTable(instruction_set)
      .prepare_row(x, first_input, num_inputs, row, rows);
}

void MatMul(InstructionSet instruction_set, const PackedMatrix& matrix,
            const PreparedRows& rows, int64_t first_row, int64_t num_rows,
            int64_t first_strip, int64_t last_strip,
            const ProductOutput& output) {
  QUIRE_CHECK(rows.num_inputs == matrix.num_inputs &&
              (rows.format == matrix.format ||
               (IsByteFormat(rows.format) && IsByteFormat(matrix.format))));
  GetKernelTable(instruction_set)
      .matmul(matrix, rows, first_row, num_rows, first_strip, last_strip,
              output);
}

}  // namespace quire
