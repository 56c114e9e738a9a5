#include "kernels/rope.h"

#include <cmath>
#include <numbers>

#include "common/check.h"
#include "kernels/cpu/kernel_table.h"

namespace quire {
namespace {

// Long waves turn slower by the factor, short ones as before, those between by
// a blend of the two.
float Scale(const Llama3RopeScaling& scaling, float frequency) {
  const double wavelength = 2 * std::numbers::pi / frequency;
  const double context = scaling.original_context_length;
  if (wavelength > context / scaling.low_freq_factor) {
    return static_cast<float>(frequency / scaling.factor);
  }
  if (wavelength < context / scaling.high_freq_factor) return frequency;
  const double blend = (context / wavelength - scaling.low_freq_factor) /
                       (scaling.high_freq_factor - scaling.low_freq_factor);
  return static_cast<float>((1 - blend) * frequency / scaling.factor +
                            blend * frequency);
}

}  // namespace

std::vector<float> RopeFrequencies(
    double theta, int head_dim, const std::optional<Llama3RopeScaling>& scaling,
    std::span<const float> factors) {
  const int num_pairs = head_dim / 2;
  QUIRE_CHECK(factors.empty() || static_cast<int>(factors.size()) == num_pairs);
  std::vector<float> frequencies(num_pairs);
  for (int i = 0; i < num_pairs; ++i) {
    float frequency =
        static_cast<float>(1.0 / std::pow(theta, 2.0 * i / head_dim));
    if (scaling.has_value()) frequency = Scale(*scaling, frequency);
    if (!factors.empty()) frequency /= factors[i];
    frequencies[i] = frequency;
  }
  return frequencies;
}

void RopeAngles(std::span<const float> frequencies, RopePairing pairing,
                int32_t position, float* cosines, float* sines) {
  const size_t num_pairs = frequencies.size();
  for (size_t i = 0; i < num_pairs; ++i) {
    const float angle = static_cast<float>(position) * frequencies[i];
    const size_t first = pairing == RopePairing::kHalves ? i : 2 * i;
    const size_t second =
        pairing == RopePairing::kHalves ? i + num_pairs : 2 * i + 1;
    cosines[first] = cosines[second] = std::cos(angle);
    sines[second] = std::sin(angle);
    sines[first] = -sines[second];
  }
}

void Rotate(InstructionSet instruction_set, RopePairing pairing,
            const float* cosines, const float* sines, int num_heads,
            int head_dim, float* x) {
  const KernelTable& kernels = GetKernelTable(instruction_set);
  if (pairing == RopePairing::kHalves) {
    kernels.rotate_halves(cosines, sines, num_heads, head_dim, x);
  } else {
    kernels.rotate_neighbours(cosines, sines, num_heads, head_dim, x);
  }
}

}  // namespace quire
