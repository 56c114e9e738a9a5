#include "kernels/rms_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/kernels/kernel_testing.h"

namespace quire {
namespace {

class RmsNormTest : public testing::TestWithParam<InstructionSet> {};
INSTANTIATE_TEST_SUITE_P(All, RmsNormTest,
                         testing::ValuesIn(SupportedInstructionSets()),
                         InstructionSetTestName);

// The sum of n squares is off by n half units at most, its root by half of
// that; eight more for what follows.
TEST_P(RmsNormTest, EqualsDoublePrecisionWithinTheBoundOfItsSum) {
  constexpr double kEpsilon = 1e-5;
  for (int size : {1, 15, 16, 17, 64, 576, 1000}) {
    const std::vector<float> x = RandomFloats(size).Vector(size);
    const std::vector<float> weight = RandomFloats(size + 1).Vector(size);
    std::vector<float> y(size + 1, 7.0f);
    RmsNorm(GetParam(), x.data(), weight.data(), size, kEpsilon, y.data());
    double squares = 0;
    for (float value : x) squares += static_cast<double>(value) * value;
    const double scale = 1 / std::sqrt(squares / size + kEpsilon);
    for (int i = 0; i < size; ++i) {
      const double wanted = x[i] * scale * weight[i];
      ASSERT_NEAR(y[i], wanted,
                  (size / 2.0 + 8) * kFloatEpsilon * std::abs(wanted))
          << size;
    }
    EXPECT_EQ(y[size], 7.0f) << "written past the end";
  }
}

TEST_P(RmsNormTest, MayOverwriteItsInput) {
  constexpr int kSize = 50;
  std::vector<float> x = RandomFloats(1).Vector(kSize);
  const std::vector<float> weight = RandomFloats(2).Vector(kSize);
  std::vector<float> y(kSize);
  RmsNorm(GetParam(), x.data(), weight.data(), kSize, 1e-6f, y.data());
  RmsNorm(GetParam(), x.data(), weight.data(), kSize, 1e-6f, x.data());
  EXPECT_EQ(x, y);
}

}  // namespace
}  // namespace quire
