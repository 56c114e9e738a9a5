#ifndef QUIRE_SCHEDULER_SIM_RANDOM_STREAM_H_
#define QUIRE_SCHEDULER_SIM_RANDOM_STREAM_H_

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace quire {

// Random numbers that are the same on every machine for the same seed: the
// distributions of the standard library are not. Not thread-safe.
class RandomStream {
 public:
  explicit RandomStream(uint64_t seed) : bits_(seed) {}

  // In [0, 1).
  double Uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  // A whole number, `smallest` to `largest`.
  uint32_t UniformInt(uint32_t smallest, uint32_t largest) {
    const double span = static_cast<double>(largest) - smallest + 1;
    return smallest + static_cast<uint32_t>(Uniform() * span);
  }
  // Of mean 1.
  double Exponential() { return -std::log1p(-Uniform()); }
  // Of mean 0 and variance 1 (Box and Muller).
  double Normal() {
    const double radius = std::sqrt(2 * Exponential());
    return radius * std::cos(2 * std::numbers::pi * Uniform());
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_RANDOM_STREAM_H_
