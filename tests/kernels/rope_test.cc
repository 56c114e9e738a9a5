#include "kernels/rope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "tests/kernels/kernel_testing.h"

namespace quire {
namespace {

TEST(RopeFrequenciesTest, FallGeometricallyWithTheBase) {
  const std::vector<float> frequencies =
      RopeFrequencies(10000, 8, std::nullopt, {});
  EXPECT_EQ(frequencies, (std::vector<float>{1.0f, 0.1f, 0.01f, 0.001f}));
}

TEST(RopeFrequenciesTest, FactorsDivideThem) {
  const std::vector<float> factors = {1, 1, 2, 8};
  const std::vector<float> frequencies =
      RopeFrequencies(10000, 8, std::nullopt, factors);
  EXPECT_EQ(frequencies,
            (std::vector<float>{1.0f, 0.1f, 0.01f / 2, 0.001f / 8}));
}

// Original context 256: waves shorter than 64 stay, waves longer than 256 turn
// 8 times slower.
TEST(RopeFrequenciesTest, Llama3ScalesLongWavesAndBlendsThoseBetween) {
  const Llama3RopeScaling scaling{.factor = 8,
                                  .low_freq_factor = 1,
                                  .high_freq_factor = 4,
                                  .original_context_length = 256};
  const std::vector<float> plain =
      RopeFrequencies(500000, 16, std::nullopt, {});
  const std::vector<float> scaled = RopeFrequencies(500000, 16, scaling, {});
  EXPECT_EQ(scaled[0], plain[0]);                 // Wavelength 6.3.
  EXPECT_EQ(scaled[1], plain[1]);                 // 32.
  EXPECT_EQ(scaled[3], plain[3] / 8);             // 860.
  const double wavelength = 2 * M_PI / plain[2];  // 167.
  const double blend = (256 / wavelength - 1) / 3;
  EXPECT_NEAR(scaled[2], plain[2] * ((1 - blend) / 8 + blend), 1e-7 * plain[2]);
}

using Param = std::tuple<InstructionSet, RopePairing>;
class RotateTest : public testing::TestWithParam<Param> {};
INSTANTIATE_TEST_SUITE_P(
    All, RotateTest,
    testing::Combine(testing::ValuesIn(SupportedInstructionSets()),
                     testing::Values(RopePairing::kHalves,
                                     RopePairing::kNeighbours)),
    [](const testing::TestParamInfo<Param>& info) {
      const bool halves = std::get<1>(info.param) == RopePairing::kHalves;
      return std::string(InstructionSetName(std::get<0>(info.param))) +
             (halves ? "_halves" : "_neighbours");
    });

// Two products and a sum, and sine and cosine to one unit: four half units of
// the pair's length, doubled.
TEST_P(RotateTest, TurnsEveryPairByItsAngle) {
  const auto [instruction_set, pairing] = GetParam();
  for (int head_dim : {2, 8, 16, 24, 64, 80, 128}) {
    constexpr int kHeads = 3, kPosition = 777;
    const int half = head_dim / 2;
    const std::vector<float> frequencies =
        RopeFrequencies(10000, head_dim, std::nullopt, {});
    std::vector<float> cosines(head_dim), sines(head_dim);
    RopeAngles(frequencies, pairing, kPosition, cosines.data(), sines.data());
    const std::vector<float> before =
        RandomFloats(head_dim).Vector(int64_t{kHeads} * head_dim);
    std::vector<float> x = before;
    Rotate(instruction_set, pairing, cosines.data(), sines.data(), kHeads,
           head_dim, x.data());
    for (int i = 0; i < kHeads * half; ++i) {
      const int pair = i % half;
      const int first = i / half * head_dim +
                        (pairing == RopePairing::kHalves ? pair : 2 * pair);
      const int second = first + (pairing == RopePairing::kHalves ? half : 1);
      const double angle = static_cast<float>(kPosition) * frequencies[pair];
      const double a = before[first], b = before[second];
      const double bound = 8 * kFloatEpsilon * std::hypot(a, b);
      ASSERT_NEAR(x[first], a * std::cos(angle) - b * std::sin(angle), bound)
          << head_dim;
      ASSERT_NEAR(x[second], b * std::cos(angle) + a * std::sin(angle), bound)
          << head_dim;
    }
  }
}

}  // namespace
}  // namespace quire
