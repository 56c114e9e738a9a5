#include "scheduler/sim/random_stream.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

constexpr int kDraws = 100'000;

TEST(RandomStreamTest, EachDistributionHasItsMeanAndVariance) {
  RandomStream random(1);
  double uniform = 0;
  double exponential = 0;
  double normal = 0;
  double normal_squared = 0;
  for (int i = 0; i < kDraws; ++i) {
    uniform += random.Uniform();
    exponential += random.Exponential();
    const double x = random.Normal();
    normal += x;
    normal_squared += x * x;
  }
  EXPECT_NEAR(uniform / kDraws, 0.5, 0.01);
  EXPECT_NEAR(exponential / kDraws, 1, 0.02);
  EXPECT_NEAR(normal / kDraws, 0, 0.02);
  EXPECT_NEAR(normal_squared / kDraws, 1, 0.02);
}

TEST(RandomStreamTest, WholeNumbersReachBothEnds) {
  RandomStream random(1);
  int counts[3] = {};
  for (int i = 0; i < 3000; ++i) ++counts[random.UniformInt(5, 7) - 5];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 100);
}

TEST(RandomStreamTest, TheSeedDecidesAll) {
  RandomStream a(4);
  RandomStream b(4);
  RandomStream c(5);
  const double first = a.Uniform();
  EXPECT_EQ(first, b.Uniform());
  EXPECT_NE(first, c.Uniform());
}

}  // namespace
}  // namespace quire
