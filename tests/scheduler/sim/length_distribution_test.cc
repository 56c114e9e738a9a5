#include "scheduler/sim/length_distribution.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace quire {
namespace {

double MeanOf(const LengthDistribution& lengths) {
  RandomStream random(1);
  double sum = 0;
  for (int i = 0; i < 50'000; ++i) sum += lengths.Draw(random);
  return sum / 50'000;
}

TEST(LengthDistributionTest, HasItsMeanHoweverMuchIsCutOff) {
  EXPECT_NEAR(MeanOf({100, 0.5, 100'000}), 100, 1);
  EXPECT_NEAR(MeanOf({100, 1.5, 1000}), 100, 2);
  EXPECT_NEAR(MeanOf({100, 1.5, 300}), 100, 2);
}

TEST(LengthDistributionTest, LengthsLieBetweenOneAndTheLongest) {
  const LengthDistribution lengths(2, 2, 20);
  RandomStream random(1);
  uint32_t least = 100;
  uint32_t most = 0;
  for (int i = 0; i < 5000; ++i) {
    const uint32_t length = lengths.Draw(random);
    least = std::min(least, length);
    most = std::max(most, length);
  }
  EXPECT_EQ(least, 1);
  EXPECT_EQ(most, 20);
}

TEST(LengthDistributionTest, SigmaSetsHowWidelyTheySpread) {
  RandomStream random(1);
  const LengthDistribution lengths(100, 0.01, 1000);
  for (int i = 0; i < 100; ++i) EXPECT_NEAR(lengths.Draw(random), 100, 6);
}

}  // namespace
}  // namespace quire
