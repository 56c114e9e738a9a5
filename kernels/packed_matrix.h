#ifndef QUIRE_KERNELS_PACKED_MATRIX_H_
#define QUIRE_KERNELS_PACKED_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/modelfile/tensor.h"

namespace quire {

// How the weights of a matrix are held for products, and what activations
// become when they are multiplied with them.
//
//   kF32   everything in float32;
//   kBf16  weights rounded to bf16; activations too, where the machine
//          multiplies pairs of bf16;
//   kQ4    GGML's Q4_0 and Q4_1 as they are: 4 bits, with a scale and a minimum
//          for 32 inputs; activations rounded to int8, with a scale for 32.
enum class MatrixFormat { kF32, kBf16, kQ4 };

// Outputs come in strips, the unit in which threads share a product, and inputs
// in groups; both are filled up with zeros.
inline constexpr int64_t kStripOutputs = 32;
inline constexpr int64_t kInputGroup = 32;

// A matrix repacked for MatMul, the same for every instruction set. Does not
// own `data`, which is aligned to 64 bytes.
//
// A strip is one sequential stream, in the order of its use:
//   kF32:  [num_groups * 32][32 outputs]
//   kBf16: [num_groups * 16][32 outputs][2 consecutive inputs]
//   kQ4:   [num_groups][2 blocks of 16 outputs], a block being a line of 16
//          scales and 16 minima in half precision, then lines 0 .. 3 of
//          [16 outputs][4]: line l has inputs 4 l .. 4 l + 3 in its low nibbles
//          and those 16 further in its high ones.
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

inline bool CanPackAsQ4(TensorType type) {
  return type == TensorType::kQ4_0 || type == TensorType::kQ4_1;
}

// Writes strips [first_strip, last_strip) of `packed` from inputs [first_input,
// first_input + packed.num_inputs) of the stored rows of `parts`, matrices of
// the same number of inputs that lie one below the other. Different strips may
// be packed by different threads. REQUIRES: the parts have these inputs, and
// their rows add up to packed.num_outputs; for kQ4 every part's type is
// CanPackAsQ4, and first_input and packed.num_inputs are multiples of its
// group.
void PackStrips(std::span<const TensorView* const> parts,
                const PackedMatrix& packed, int64_t first_strip,
                int64_t last_strip, int64_t first_input = 0);

}  // namespace quire

#endif  // QUIRE_KERNELS_PACKED_MATRIX_H_
