#ifndef QUIRE_TESTS_KERNELS_KERNEL_TESTING_H_
#define QUIRE_TESTS_KERNELS_KERNEL_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/half_floats.h"
#include "kernels/instruction_set.h"

namespace quire {

// What the tests of kernels share: the machine's instruction sets, random
// numbers, aligned memory.

inline constexpr double kFloatEpsilon =
    0x1p-24;  // Half a unit in the last place of 1.

inline std::vector<InstructionSet> SupportedInstructionSets() {
  std::vector<InstructionSet> supported;
  for (const InstructionSet set : kInstructionSets) {
    if (IsSupported(set)) supported.push_back(set);
  }
  return supported;
}

// For INSTANTIATE_TEST_SUITE_P.
inline std::string InstructionSetTestName(
    const testing::TestParamInfo<InstructionSet>& info) {
  return std::string(InstructionSetName(info.param));
}

// Uniform numbers in [-1, 1), the same on every run (SplitMix64).
class RandomFloats {
 public:
  explicit RandomFloats(uint64_t seed) : state_(seed) {}
  uint64_t NextBits() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  float Next() {
    return static_cast<float>(static_cast<int64_t>(NextBits() >> 40) -
                              (1 << 23)) *
           0x1p-23f;
  }
  std::vector<float> Vector(int64_t size) {
    std::vector<float> values(size);
    for (float& value : values) value = Next();
    return values;
  }
  // Numbers that bf16 holds exactly.
  std::vector<float> Bf16Vector(int64_t size) {
    std::vector<float> values = Vector(size);
    for (float& value : values) value = FloatFromBf16(Bf16FromFloat(value));
    return values;
  }

 private:
  uint64_t state_;
};

// Whether two arrays of floats are the same to the bit, NaN and the sign of
// zero included.
inline bool SameBits(std::span<const float> a, std::span<const float> b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
        return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y);
      });
}

// Memory on a border of 64 bytes, filled with `fill`.
class AlignedBytes {
 public:
  explicit AlignedBytes(int64_t size, unsigned char fill = 0)
      : data_(static_cast<std::byte*>(
            std::aligned_alloc(64, (size + 63) / 64 * 64 + 64))) {
    for (int64_t i = 0; i < size; ++i) data_.get()[i] = std::byte{fill};
  }
  std::byte* data() { return data_.get(); }
  float* floats() { return reinterpret_cast<float*>(data_.get()); }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> data_;
};

}  // namespace quire

#endif  // QUIRE_TESTS_KERNELS_KERNEL_TESTING_H_
