#include "worker/sampler/token_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kImpossible = -std::numeric_limits<float>::infinity();

// Logits of a distribution given by its probabilities.
std::vector<float> Logits(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) {
    logits.push_back(static_cast<float>(std::log(p)) + 3);
  }
  return logits;
}

// A sequence whose next token is at `position`.
TokenHistory HistoryOf(const SamplingParams& params, int position = 1) {
  return TokenHistory(std::vector<Token>(position, 0), position, params);
}

TokenReport Choose(const SamplingParams& params,
                   const std::vector<float>& logits, int position = 1) {
  TokenSampler sampler;
  TokenReport choice;
  EXPECT_TRUE(
      sampler.Choose(HistoryOf(params, position), position, logits, &choice));
  return choice;
}

// How often each token is drawn at the first `draws` positions.
std::vector<int> Count(const SamplingParams& params,
                       const std::vector<float>& logits, int draws) {
  TokenSampler sampler;
  TokenReport choice;
  TokenHistory history = HistoryOf(params, 0);
  std::vector<int> counts(logits.size());
  for (int i = 0; i < draws; ++i) {
    EXPECT_TRUE(sampler.Choose(history, history.size(), logits, &choice));
    ++counts[choice.token];
    history.Append(0);
  }
  return counts;
}

// The tokens that are ever drawn.
std::set<Token> Support(const SamplingParams& params,
                        const std::vector<float>& logits) {
  const std::vector<int> counts = Count(params, logits, 2000);
  std::set<Token> support;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) support.insert(static_cast<Token>(i));
  }
  return support;
}

// Pearson's statistic against expected probabilities.
double ChiSquare(const std::vector<int>& counts,
                 const std::vector<double>& probabilities) {
  double draws = 0;
  for (const int count : counts) draws += count;
  double sum = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (probabilities[i] == 0) continue;
    const double expected = draws * probabilities[i];
    sum += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  return sum;
}

TEST(TokenSamplerTest, TemperatureZeroTakesTheBestToken) {
  EXPECT_EQ(Choose({}, {1, 4, 3, 4}).token, 1);
}

TEST(TokenSamplerTest, TemperatureZeroIgnoresCutsAndSeed) {
  EXPECT_EQ(
      Choose({.top_k = 3, .top_p = 0.5f, .min_p = 0.5f, .seed = 9}, {1, 4, 3})
          .token,
      1);
}

TEST(TokenSamplerTest, TemperatureZeroHonoursBiasAndBans) {
  EXPECT_EQ(Choose({.bias = {{2, 2}}}, {1, 4, 3}).token, 2);
  EXPECT_EQ(Choose({.bad_words = {{1}}}, {1, 4, 3}).token, 2);
}

TEST(TokenSamplerTest, LogprobIsOfTheRawDistribution) {
  const TokenReport choice =
      Choose({.temperature = 0.3f, .top_k = 1, .bias = {{0, 50}}},
             Logits({0.25, 0.75}));
  EXPECT_EQ(choice.token, 0);
  EXPECT_NEAR(choice.logprob, std::log(0.25), 1e-6);
}

TEST(TokenSamplerTest, AlternativesAreTheBestOfTheRawDistribution) {
  const TokenReport choice =
      Choose({.bias = {{0, 50}}, .top_logprobs = 2}, Logits({0.1, 0.3, 0.6}));
  ASSERT_EQ(choice.top.size(), 2u);
  EXPECT_EQ(choice.top[0].token, 2);
  EXPECT_NEAR(choice.top[0].logprob, std::log(0.6), 1e-6);
  EXPECT_EQ(choice.top[1].token, 1);
  EXPECT_NEAR(choice.top[1].logprob, std::log(0.3), 1e-6);
}

TEST(TokenSamplerTest, ScoreReportsAGivenToken) {
  TokenSampler sampler;
  TokenReport scored = {.token = 1};
  ASSERT_TRUE(sampler.Score(Logits({0.1, 0.3, 0.6}), 1, &scored));
  EXPECT_NEAR(scored.logprob, std::log(0.3), 1e-6);
  ASSERT_EQ(scored.top.size(), 1u);
  EXPECT_EQ(scored.top[0].token, 2);
}

TEST(TokenSamplerTest, RowsWithNanAreReportedNotSampled) {
  TokenSampler sampler;
  TokenReport choice;
  for (const float temperature : {0.0f, 1.0f}) {
    const TokenHistory history = HistoryOf({.temperature = temperature});
    EXPECT_FALSE(sampler.Choose(history, history.size(),
                                std::vector<float>{1, kNan, 2}, &choice));
  }
  EXPECT_FALSE(sampler.Score(std::vector{kNan, 1.0f}, 0, &choice));
}

TEST(TokenSamplerTest, WhereEverythingIsBannedTheRawBestTokenIsChosen) {
  for (const float temperature : {0.0f, 1.0f}) {
    const TokenReport choice = Choose({.temperature = temperature,
                                       .top_p = 0.5f,
                                       .min_tokens = 5,
                                       .banned_until_min_tokens = {0, 1, 2}},
                                      {1, 4, 3});
    EXPECT_EQ(choice.token, 1);
  }
}

TEST(TokenSamplerTest, TinyTemperatureIsGreedy) {
  for (const float temperature : {1e-6f, 1e-30f, 1e-45f}) {
    EXPECT_EQ(Choose({.temperature = temperature}, {1, 4, 3.9999f}).token, 1);
    EXPECT_EQ(
        Choose({.temperature = temperature, .top_p = 0.9f}, {1, 4, 3.9999f})
            .token,
        1);
  }
}

TEST(TokenSamplerTest, HugeTemperatureIsUniform) {
  const std::vector<int> counts =
      Count({.temperature = 1e30f}, {-50, 0, 50, 100}, 4000);
  // 3 degrees of freedom: 16.27 is exceeded once in a thousand.
  EXPECT_LT(ChiSquare(counts, {0.25, 0.25, 0.25, 0.25}), 16.27);
}

TEST(TokenSamplerTest, TopKKeepsTheKBest) {
  const std::vector<float> logits = Logits({0.1, 0.3, 0.15, 0.3, 0.15});
  EXPECT_THAT(Support({.temperature = 1, .top_k = 2}, logits),
              ElementsAre(1, 3));
  // Of the two with 0.15 the smaller id.
  EXPECT_THAT(Support({.temperature = 1, .top_k = 3}, logits),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(Support({.temperature = 1, .top_k = 99}, logits),
              ElementsAre(0, 1, 2, 3, 4));
}

TEST(TokenSamplerTest, TopPKeepsTheSmallestSetOfThatMass) {
  const std::vector<float> logits = Logits({0.1, 0.4, 0.2, 0.3});
  EXPECT_THAT(Support({.temperature = 1, .top_p = 0.05f}, logits),
              ElementsAre(1));
  EXPECT_THAT(Support({.temperature = 1, .top_p = 0.6f}, logits),
              ElementsAre(1, 3));
  EXPECT_THAT(Support({.temperature = 1, .top_p = 0.8f}, logits),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(Support({.temperature = 1, .top_p = 0.95f}, logits),
              ElementsAre(0, 1, 2, 3));
}

TEST(TokenSamplerTest, MinPComparesWithTheBestToken) {
  const std::vector<float> logits = Logits({0.1, 0.4, 0.2, 0.3});
  EXPECT_THAT(Support({.temperature = 1, .min_p = 0.6f}, logits),
              ElementsAre(1, 3));
  EXPECT_THAT(Support({.temperature = 1, .min_p = 1}, logits), ElementsAre(1));
}

TEST(TokenSamplerTest, CutsActInTheirOrder) {
  const std::vector<float> logits = Logits({0.1, 0.4, 0.2, 0.3});
  // Of the three best, 0.9 together, 0.4 + 0.3 make 77 %: top_p is reached. Of
  // all four they make 70 %, and a third would be needed.
  const SamplingParams params = {.temperature = 1, .top_k = 3, .top_p = 0.75f};
  EXPECT_THAT(Support(params, logits), ElementsAre(1, 3));
  // What min_p drops counts for top_p: 0.4 alone is not half of the mass.
  EXPECT_THAT(
      Support({.temperature = 1, .top_k = 3, .top_p = 0.4f, .min_p = 0.9f},
              logits),
      ElementsAre(1));
  EXPECT_THAT(
      Support({.temperature = 1, .top_p = 0.65f, .min_p = 0.7f}, logits),
      ElementsAre(1, 3));
}

TEST(TokenSamplerTest, TemperatureComesBeforeTopP) {
  // Squared, 0.6 and 0.4 become 0.69 and 0.31.
  EXPECT_THAT(
      Support({.temperature = 0.5f, .top_p = 0.65f}, Logits({0.6, 0.4})),
      ElementsAre(0));
  EXPECT_THAT(Support({.temperature = 1, .top_p = 0.65f}, Logits({0.6, 0.4})),
              ElementsAre(0, 1));
}

TEST(TokenSamplerTest, ImpossibleTokensAreNeverDrawn) {
  EXPECT_THAT(Support({.temperature = 1}, {kImpossible, 1, kImpossible, 1}),
              ElementsAre(1, 3));
  EXPECT_THAT(
      Support({.temperature = 1, .top_k = 3}, {kImpossible, 1, kImpossible, 1}),
      ElementsAre(1, 3));
}

// What `top_p` keeps on a row of a real vocabulary's size.
std::set<Token> NucleusByFullSort(const std::vector<float>& logits,
                                  double top_p) {
  std::vector<std::pair<float, Token>> order;
  double total = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    order.push_back({-logits[i], static_cast<Token>(i)});
    total += std::exp(double{logits[i]});
  }
  std::sort(order.begin(), order.end());
  std::set<Token> nucleus;
  double mass = 0;
  for (const auto& [negative, token] : order) {
    if (mass >= top_p * total) break;
    mass += std::exp(-double{negative});
    nucleus.insert(token);
  }
  return nucleus;
}

TEST(TokenSamplerTest, NucleusOfALargeVocabularyIsThatOfAFullSort) {
  std::mt19937_64 random(5);
  std::normal_distribution<float> normal(0, 2);
  std::vector<float> logits(20'000);
  for (float& x : logits) x = normal(random);
  for (const float top_p : {0.001f, 0.01f}) {
    const std::set<Token> nucleus = NucleusByFullSort(logits, top_p);
    EXPECT_EQ(Support({.temperature = 1, .top_p = top_p}, logits), nucleus)
        << top_p;
  }
}

struct DrawCase {
  const char* name;
  SamplingParams params;
  std::vector<double> expected;
};

class TokenSamplerDistributionTest : public testing::TestWithParam<DrawCase> {};

TEST_P(TokenSamplerDistributionTest, MatchesInAChiSquareTest) {
  const std::vector<float> logits =
      Logits({0.05, 0.25, 0.02, 0.3, 0.08, 0.1, 0.15, 0.05});
  const std::vector<int> counts = Count(GetParam().params, logits, 20'000);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (GetParam().expected[i] == 0) {
      EXPECT_EQ(counts[i], 0) << i;
    }
  }
  // At most 7 degrees of freedom: 24.32 is exceeded once in a thousand.
  EXPECT_LT(ChiSquare(counts, GetParam().expected), 24.32);
}

INSTANTIATE_TEST_SUITE_P(
    Parameters, TokenSamplerDistributionTest,
    testing::Values(
        DrawCase{"Plain",
                 {.temperature = 1, .seed = 11},
                 {0.05, 0.25, 0.02, 0.3, 0.08, 0.1, 0.15, 0.05}},
        DrawCase{"TopK",
                 {.temperature = 1, .top_k = 3, .seed = 12},
                 {0, 0.25 / 0.7, 0, 0.3 / 0.7, 0, 0, 0.15 / 0.7, 0}},
        DrawCase{"TopP",
                 {.temperature = 1, .top_p = 0.75f, .seed = 13},
                 {0, 0.25 / 0.8, 0, 0.3 / 0.8, 0, 0.1 / 0.8, 0.15 / 0.8, 0}},
        DrawCase{"MinP",
                 {.temperature = 1, .min_p = 0.4f, .seed = 14},
                 {0, 0.25 / 0.7, 0, 0.3 / 0.7, 0, 0, 0.15 / 0.7, 0}}),
    [](const testing::TestParamInfo<DrawCase>& info) {
      return std::string(info.param.name);
    });

TEST(TokenSamplerTest, SameSeedAndPositionGiveTheSameTokenWhateverCameBefore) {
  std::vector<float> logits(300);
  for (size_t i = 0; i < logits.size(); ++i) {
    logits[i] = std::sin(static_cast<float>(i));
  }
  const SamplingParams params = {.temperature = 1, .top_p = 0.9f, .seed = 77};
  TokenSampler used;
  TokenReport choice;
  for (int position = 1; position < 50; ++position) {
    TokenReport other;
    ASSERT_TRUE(
        used.Choose(HistoryOf({.temperature = 2, .top_k = 5, .seed = 1}), 1,
                    logits, &other));
    ASSERT_TRUE(
        used.Choose(HistoryOf(params, position), position, logits, &choice));
    EXPECT_EQ(choice.token, Choose(params, logits, position).token);
    // A place ahead of what is known.
    ASSERT_TRUE(used.Choose(HistoryOf(params, 1), position, logits, &other));
    EXPECT_EQ(choice.token, other.token);
  }
}

TEST(TokenSamplerTest, OtherSeedsAndPositionsGiveOtherTokens) {
  const std::vector<float> logits(1000, 0);
  std::set<Token> by_seed;
  std::set<Token> by_position;
  for (int i = 1; i <= 20; ++i) {
    const uint64_t seed = i;
    by_seed.insert(Choose({.temperature = 1, .seed = seed}, logits).token);
    by_position.insert(Choose({.temperature = 1}, logits, i).token);
  }
  // Twenty draws of a thousand: two or three equal ones would not be odd.
  EXPECT_GT(by_seed.size(), 16u);
  EXPECT_GT(by_position.size(), 16u);
}

}  // namespace
}  // namespace quire
