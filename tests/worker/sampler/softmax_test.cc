#include "worker/sampler/softmax.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace quire {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Odd sizes: below, at and beyond whole lanes (16) and stretches (1,024).
constexpr int kSizes[] = {1, 2, 15, 16, 17, 1023, 1024, 1025, 3000, 49152};

std::vector<float> RandomRow(int size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, 4);
  std::vector<float> row(size);
  for (float& x : row) x = normal(random);
  return row;
}

double ReferenceLogSum(const std::vector<float>& row) {
  double sum = 0;
  for (const float x : row) sum += std::exp(double{x});
  return std::log(sum);
}

TEST(SoftmaxTest, LogprobsAreThoseOfDoublePrecision) {
  for (const int size : kSizes) {
    const std::vector<float> row = RandomRow(size, size);
    const RawDistribution raw(row);
    ASSERT_TRUE(raw.valid());
    const double expected = row[size / 2] - ReferenceLogSum(row);
    // Half a unit in the last place of values up to 32, and the sum's error.
    EXPECT_NEAR(raw.Logprob(row[size / 2]), expected, 2e-6) << size;
  }
}

TEST(SoftmaxTest, WeightsAreThoseOfDoublePrecision) {
  for (const int size : kSizes) {
    const std::vector<float> row = RandomRow(size, size);
    const float max = row[ArgMax(row)];
    std::vector<float> weights(size);
    const double total = ExponentialWeights(row, max, 0.7f, weights);
    double expected_total = 0;
    for (int i = 0; i < size; ++i) {
      const double expected = std::exp(double{(row[i] - max) / 0.7f});
      EXPECT_NEAR(weights[i], expected, 3e-7 * expected) << size;
      expected_total += expected;
    }
    EXPECT_NEAR(total, expected_total, 1e-6 * expected_total);
  }
}

// FNV-1a over the bits.
uint64_t HashBits(const std::vector<float>& values) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const float v : values) {
    uint32_t bits;
    std::memcpy(&bits, &v, sizeof(bits));
    hash = (hash ^ bits) * 0x100000001b3;
  }
  return hash;
}

TEST(SoftmaxTest, BitsAreTheSameOnEveryMachine) {
  std::vector<float> row(5000);
  for (size_t i = 0; i < row.size(); ++i) {
    row[i] = static_cast<float>((i * 2654435761u) % 65536) / 2048.0f;
  }
  std::vector<float> weights(row.size());
  const double total = ExponentialWeights(row, row[ArgMax(row)], 1.3f, weights);
  weights.push_back(static_cast<float>(total));
  weights.push_back(RawDistribution(row).Logprob(3.0f));
  EXPECT_EQ(HashBits(weights), 10843031289131079764u);
}

TEST(SoftmaxTest, EqualLogitsAreWonByTheSmallestId) {
  EXPECT_EQ(ArgMax(std::vector<float>{1, 3, 2, 3, 3}), 1);
  EXPECT_EQ(ArgMax(std::vector<float>(100, 2.5f)), 0);
  EXPECT_EQ(ArgMax(std::vector<float>{-kInfinity, -kInfinity}), 0);
}

TEST(SoftmaxTest, RowsThatAreNoDistributionAreInvalid) {
  std::vector<float> row = RandomRow(100, 1);
  EXPECT_TRUE(RawDistribution(row).valid());
  for (const int place : {0, 50, 99}) {
    for (const float bad : {kNan, kInfinity}) {
      std::vector<float> broken = row;
      broken[place] = bad;
      EXPECT_FALSE(RawDistribution(broken).valid()) << place << " " << bad;
    }
  }
  EXPECT_FALSE(RawDistribution(std::vector<float>(20, kNan)).valid());
  EXPECT_FALSE(RawDistribution(std::vector<float>(20, -kInfinity)).valid());
}

TEST(SoftmaxTest, ImpossibleTokenHasLogprobMinusInfinity) {
  const std::vector<float> row = {0, -kInfinity, 0};
  const RawDistribution raw(row);
  ASSERT_TRUE(raw.valid());
  EXPECT_EQ(raw.Logprob(row[1]), -kInfinity);
  EXPECT_FLOAT_EQ(raw.Logprob(row[0]), std::log(0.5f));
}

TEST(SoftmaxTest, SmallestTemperaturesDoNotOverflow) {
  const std::vector<float> row = {10, 9.9999f, -3e38f, 10};
  for (const float temperature :
       {1e-6f, 1e-30f, std::numeric_limits<float>::denorm_min()}) {
    std::vector<float> weights(row.size());
    EXPECT_EQ(ExponentialWeights(row, 10, temperature, weights), 2);
    EXPECT_EQ(weights, (std::vector<float>{1, 0, 0, 1}));
  }
}

TEST(SoftmaxTest, TokenAtMassFollowsTheRunningSum) {
  const std::vector<float> weights = {0, 1, 0, 2, 1, 0};
  EXPECT_EQ(TokenAtMass(weights, 0), 1);
  EXPECT_EQ(TokenAtMass(weights, 0.999), 1);
  EXPECT_EQ(TokenAtMass(weights, 1), 3);
  EXPECT_EQ(TokenAtMass(weights, 2.999), 3);
  EXPECT_EQ(TokenAtMass(weights, 3), 4);
}

TEST(SoftmaxTest, TokenAtMassNeverPassesTheLastThatWeighsAnything) {
  std::vector<float> weights(5000, 0);
  weights[2000] = 1;
  EXPECT_EQ(TokenAtMass(weights, 0), 2000);
  EXPECT_EQ(TokenAtMass(weights, 1.5), 2000);
}

TEST(SoftmaxTest, TokenAtMassCrossesStretches) {
  const std::vector<float> weights(5000, 1);
  for (const int token : {0, 1023, 1024, 4095, 4096, 4999}) {
    EXPECT_EQ(TokenAtMass(weights, token + 0.5), token);
  }
}

}  // namespace
}  // namespace quire
