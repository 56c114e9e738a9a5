#include "worker/sampler/nucleus.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace quire {
namespace {

// Candidate i has weights[i], and as its logit too: only the order matters.
std::vector<Candidate> Candidates(const std::vector<float>& weights) {
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < weights.size(); ++i) {
    candidates.push_back({{static_cast<Token>(i), weights[i]}, weights[i]});
  }
  return candidates;
}

Token Worst(const std::vector<float>& weights, double mass) {
  std::vector<Candidate> candidates = Candidates(weights);
  return WorstOfNucleus(candidates, mass).token;
}

Token WorstByFullSort(const std::vector<float>& weights, double mass) {
  std::vector<Candidate> candidates = Candidates(weights);
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) {
              return IsBetter(a.token_logit, b.token_logit);
            });
  for (const Candidate& c : candidates) {
    mass -= c.weight;
    if (mass <= 0) return c.token_logit.token;
  }
  return candidates.back().token_logit.token;
}

TEST(NucleusTest, EndsWhereItsMassIsReached) {
  const std::vector<float> weights = {1, 8, 2, 4};  // Best first: 1, 3, 2, 0.
  EXPECT_EQ(Worst(weights, 0.1), 1);
  EXPECT_EQ(Worst(weights, 8), 1);
  EXPECT_EQ(Worst(weights, 8.5), 3);
  EXPECT_EQ(Worst(weights, 12), 3);
  EXPECT_EQ(Worst(weights, 13), 2);
  EXPECT_EQ(Worst(weights, 15), 0);
}

TEST(NucleusTest, IsEverythingWhereAllTogetherDoNotReachTheMass) {
  EXPECT_EQ(Worst({1, 8, 2, 4}, 100), 0);
}

TEST(NucleusTest, TakesTheSmallerIdsAmongEquals) {
  EXPECT_EQ(Worst({1, 1, 1, 1}, 2), 1);
}

TEST(NucleusTest, EqualsAFullSort) {
  std::mt19937_64 random(3);
  // Whole numbers, so that sums are exact in any order.
  std::uniform_int_distribution<int> weight(0, 50);
  for (int size = 1; size < 200; ++size) {
    std::vector<float> weights(size);
    double total = 0;
    for (float& w : weights) total += w = static_cast<float>(weight(random));
    for (const double share : {0.1, 0.5, 0.9, 0.99}) {
      EXPECT_EQ(Worst(weights, share * total),
                WorstByFullSort(weights, share * total))
          << size << " " << share;
    }
  }
}

}  // namespace
}  // namespace quire
