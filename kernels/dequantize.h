#ifndef QUIRE_KERNELS_DEQUANTIZE_H_
#define QUIRE_KERNELS_DEQUANTIZE_H_

#include <cstddef>
#include <cstdint>

#include "common/modelfile/tensor.h"

namespace quire {

// The float32 values of `num_elements` stored elements, with the roundings of
// GGML's reference (its Python library `gguf`): equal to it to the bit, and on
// any machine. There is one form for all instruction sets, since weights are
// read once.
//
// source: as stored, unaligned; destination: [num_elements].
// REQUIRES: num_elements is a multiple of the type's group.
void Dequantize(TensorType type, const std::byte* source, int64_t num_elements,
                float* destination);

}  // namespace quire

#endif  // QUIRE_KERNELS_DEQUANTIZE_H_
