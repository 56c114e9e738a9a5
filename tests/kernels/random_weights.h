#ifndef QUIRE_TESTS_KERNELS_RANDOM_WEIGHTS_H_
#define QUIRE_TESTS_KERNELS_RANDOM_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/modelfile/tensor.h"
#include "tests/kernels/kernel_testing.h"

namespace quire {

// Random weights as stored, of magnitudes up to about `largest`: uniform
// floats, or random quants and scales. REQUIRES: num_elements is a multiple of
// the type's group.
std::vector<std::byte> RandomWeights(TensorType type, int64_t num_elements,
                                     float largest, RandomFloats& random);

// Weights of a quantized type, all bytes of which are `fill`, except the scales
// of groups.
std::vector<std::byte> UniformWeights(TensorType type, int64_t num_elements,
                                      std::byte fill);

}  // namespace quire

#endif  // QUIRE_TESTS_KERNELS_RANDOM_WEIGHTS_H_
