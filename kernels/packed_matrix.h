#ifndef QUIRE_KERNELS_PACKED_MATRIX_H_
#define QUIRE_KERNELS_PACKED_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/modelfile/tensor.h"
#include "kernels/matrix_format.h"

namespace quire {

// A matrix repacked for MatMul, the same for every instruction set. Does not
// own `data`, which is aligned to 64 bytes.
//
// A strip is one sequential stream, in the order of its use:
//   kF32:  [num_groups * 32][32 outputs]
//   kBf16: [num_groups * 16][32 outputs][2 consecutive inputs]
//   byte formats: [num_groups] of groups as ByteFormat has them.
struct PackedMatrix {
  MatrixFormat format = MatrixFormat::kF32;
  int64_t num_outputs = 0;
  int64_t num_inputs = 0;
  std::byte* data = nullptr;

  int64_t num_strips() const {
    return (num_outputs + kStripOutputs - 1) / kStripOutputs;
  }
  int64_t num_groups() const {
    return (num_inputs + kInputGroup - 1) / kInputGroup;
  }
  int64_t strip_bytes() const;
  int64_t num_bytes() const { return num_strips() * strip_bytes(); }
};

// Larger ones, a hundred times those of any model, would leave the range in
// which products compute, and what is not a number would become one.
inline constexpr float kMaxQuantizedWeight = 4000;

// Writes strips [first_strip, last_strip) of `packed` from inputs [first_input,
// first_input + packed.num_inputs) of the stored rows of `parts`, matrices of
// the same number of inputs that lie one below the other. Different strips may
// be packed by different threads. Returns whether all weights of byte formats
// are numbers of at most kMaxQuantizedWeight. REQUIRES: the parts have these
// inputs, and their rows add up to packed.num_outputs; a byte format is the
// FastFormatOf of every part's type, and first_input a multiple of kInputGroup
// then.
bool PackStrips(std::span<const TensorView* const> parts,
                const PackedMatrix& packed, int64_t first_strip,
                int64_t last_strip, int64_t first_input = 0);

}  // namespace quire

#endif  // QUIRE_KERNELS_PACKED_MATRIX_H_
