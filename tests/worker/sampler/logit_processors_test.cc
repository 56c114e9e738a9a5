#include "worker/sampler/logit_processors.h"

#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr float kBanned = -std::numeric_limits<float>::infinity();
constexpr float kHuge = std::numeric_limits<float>::max();

// The logits of tokens 0, 1, 2, ... after a sequence of `prompt` and
// `generated`.
std::vector<float> Process(const SamplingParams& params,
                           std::vector<Token> prompt,
                           const std::vector<Token>& generated,
                           std::vector<float> logits) {
  const auto prompt_length = static_cast<int64_t>(prompt.size());
  TokenHistory history(std::move(prompt), prompt_length, params);
  for (const Token token : generated) history.Append(token);
  const std::vector<float> before = logits;
  ApplyLogitProcessors(history, history.size(), logits);
  if (!HasLogitProcessors(history, history.size())) {
    EXPECT_EQ(logits, before);
  }
  return logits;
}

TEST(LogitProcessorsTest, NeutralParametersChangeNothing) {
  EXPECT_THAT(Process({}, {0, 1}, {2}, {1, 2, 3}), ElementsAre(1, 2, 3));
}

TEST(LogitProcessorsTest, BiasIsAdded) {
  EXPECT_THAT(Process({.bias = {{0, 2}, {2, -5}}}, {0}, {}, {1, 2, 3}),
              ElementsAre(3, 2, -2));
}

TEST(LogitProcessorsTest, RepetitionDividesPositiveAndMultipliesOtherLogits) {
  EXPECT_THAT(Process({.repetition_penalty = 2}, {0}, {1}, {4, -4, 4, -4}),
              ElementsAre(2, -8, 4, -4));
}

TEST(LogitProcessorsTest, PresenceIsSubtractedOnceFromGeneratedTokens) {
  EXPECT_THAT(Process({.presence_penalty = 1}, {0}, {1, 1, 2}, {5, 5, 5, 5}),
              ElementsAre(5, 4, 4, 5));
}

TEST(LogitProcessorsTest, FrequencyIsSubtractedForEachOccurrence) {
  EXPECT_THAT(Process({.frequency_penalty = 1}, {0, 0}, {1, 1, 2}, {5, 5, 5}),
              ElementsAre(5, 3, 4));
}

TEST(LogitProcessorsTest, BiasComesBeforePenalties) {
  // (-1 + 5) / 2 - 1, not -1 * 2 - 1 + 5.
  EXPECT_THAT(
      Process(
          {.repetition_penalty = 2, .presence_penalty = 1, .bias = {{0, 5}}},
          {1}, {0}, {-1, 0}),
      ElementsAre(1, 0));
}

TEST(LogitProcessorsTest, EndOfSequenceIsBannedUntilMinTokensAreGenerated) {
  const SamplingParams params = {.min_tokens = 2,
                                 .banned_until_min_tokens = {1}};
  EXPECT_THAT(Process(params, {0, 0, 0}, {}, {1, 9}), ElementsAre(1, kBanned));
  EXPECT_THAT(Process(params, {0}, {0}, {1, 9}), ElementsAre(1, kBanned));
  EXPECT_THAT(Process(params, {0}, {0, 0}, {1, 9}), ElementsAre(1, 9));
}

TEST(LogitProcessorsTest, BadWordOfOneTokenIsAlwaysBanned) {
  EXPECT_THAT(Process({.bad_words = {{1}}}, {0}, {}, {1, 2}),
              ElementsAre(1, kBanned));
}

TEST(LogitProcessorsTest, LastTokenOfABadWordIsBannedAfterTheOthers) {
  const SamplingParams params = {.bad_words = {{0, 1, 2}}};
  EXPECT_THAT(Process(params, {0}, {1}, {1, 2, 3}), ElementsAre(1, 2, kBanned));
  EXPECT_THAT(Process(params, {0}, {0}, {1, 2, 3}), ElementsAre(1, 2, 3));
  EXPECT_THAT(Process(params, {1}, {}, {1, 2, 3}), ElementsAre(1, 2, 3));
}

TEST(LogitProcessorsTest, BiasDoesNotLiftABan) {
  EXPECT_THAT(
      Process({.bias = {{1, 100}}, .bad_words = {{1}}}, {0}, {}, {1, 2}),
      ElementsAre(1, kBanned));
}

TEST(LogitProcessorsTest, ExtremeParametersLeaveLogitsFinite) {
  for (const SamplingParams& params :
       {SamplingParams{.repetition_penalty = 1e-38f, .bias = {{0, kHuge}}},
        SamplingParams{.repetition_penalty = kHuge, .bias = {{1, -kHuge}}},
        SamplingParams{.presence_penalty = kHuge, .frequency_penalty = kHuge},
        SamplingParams{.presence_penalty = kHuge,
        .frequency_penalty = -kHuge}}) {
    EXPECT_THAT(
        Process(params, {0}, {1, 1, 0}, {1e38f, -1e38f}),
        Each(testing::AllOf(testing::Ge(-kHuge / 4), testing::Le(kHuge / 4))));
  }
}

}  // namespace
}  // namespace quire
