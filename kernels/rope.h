#ifndef QUIRE_KERNELS_ROPE_H_
#define QUIRE_KERNELS_ROPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/modelfile/model_config.h"
#include "kernels/instruction_set.h"

namespace quire {

// Rotary position embedding (Su et al., 2021): pair i of a head turns by
// position * frequency[i]. Frequencies, angles, sines and cosines are float32
// like those of Hugging Face's models.

// theta^(-2i / head_dim), scaled by Llama 3's formula where given, divided by
// `factors` [head_dim / 2] where not empty.
std::vector<float> RopeFrequencies(
    double theta, int head_dim, const std::optional<Llama3RopeScaling>& scaling,
    std::span<const float> factors);

// What Rotate multiplies with at one position. cosines, sines: [2 *
// frequencies.size()], in the order of a head's elements; the sine of a pair's
// first element is negated.
void RopeAngles(std::span<const float> frequencies, RopePairing pairing,
                int32_t position, float* cosines, float* sines);

// x[i] = x[i] * cosines[i] + partner(x[i]) * sines[i] in every head. x:
// [num_heads, head_dim].
void Rotate(InstructionSet instruction_set, RopePairing pairing,
            const float* cosines, const float* sines, int num_heads,
            int head_dim, float* x);

}  // namespace quire

#endif  // QUIRE_KERNELS_ROPE_H_
