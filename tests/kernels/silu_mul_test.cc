#include "kernels/silu_mul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/kernels/kernel_testing.h"

namespace quire {
namespace {

class SiluMulTest : public testing::TestWithParam<InstructionSet> {};
INSTANTIATE_TEST_SUITE_P(All, SiluMulTest,
                         testing::ValuesIn(SupportedInstructionSets()),
                         InstructionSetTestName);

// The exponential's argument is rounded to 2^-24 of itself, so the result is
// off by |gate| half units, and by eight for polynomial, sum, quotient and
// product.
TEST_P(SiluMulTest, EqualsDoublePrecisionWithinTheBoundOfTheExponential) {
  for (int size : {1, 16, 21, 300}) {
    std::vector<float> gate = RandomFloats(size).Vector(size);
    for (float& g : gate) g *= 80;
    const std::vector<float> up = RandomFloats(size + 1).Vector(size);
    std::vector<float> y(size + 1, 7.0f);
    SiluMul(GetParam(), gate.data(), up.data(), size, y.data());
    for (int i = 0; i < size; ++i) {
      const double g = gate[i];
      const double wanted = g / (1 + std::exp(-g)) * up[i];
      ASSERT_NEAR(y[i], wanted,
                  (8 + 2 * std::abs(g)) * kFloatEpsilon * std::abs(wanted))
          << g;
    }
    EXPECT_EQ(y[size], 7.0f) << "written past the end";
  }
}

TEST_P(SiluMulTest, ExtremeGatesNeitherOverflowNorTurnIntoNan) {
  const std::vector<float> gate = {-1e30f, -200, -100, 0, 100, 1e30f};
  const std::vector<float> up(gate.size(), 1.0f);
  std::vector<float> y(gate.size());
  SiluMul(GetParam(), gate.data(), up.data(), gate.size(), y.data());
  EXPECT_NEAR(y[1], 0, 1e-30);
  EXPECT_NEAR(y[2], 0, 1e-30);
  EXPECT_EQ(y[3], 0);
  EXPECT_EQ(y[4], 100);
  EXPECT_EQ(y[5], 1e30f);
}

TEST_P(SiluMulTest, AnElementIsTheSameHoweverARowIsCut) {
  constexpr int kSize = 96;
  const std::vector<float> gate = RandomFloats(3).Vector(kSize);
  const std::vector<float> up = RandomFloats(4).Vector(kSize);
  std::vector<float> whole(kSize), parts(kSize);
  SiluMul(GetParam(), gate.data(), up.data(), kSize, whole.data());
  for (int begin : {0, 7, 40}) {
    SiluMul(GetParam(), &gate[begin], &up[begin], kSize - begin, &parts[begin]);
  }
  EXPECT_TRUE(SameBits(whole, parts));
}

}  // namespace
}  // namespace quire
