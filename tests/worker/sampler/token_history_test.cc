#include "worker/sampler/token_history.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

SamplingParams WithPenalty() { return {.presence_penalty = 1}; }

TEST(TokenHistoryTest, CountsWhatWasGeneratedApartFromThePrompt) {
  TokenHistory history({5, 6, 5, 6, 7}, /*prompt_length=*/3, WithPenalty());
  EXPECT_THAT(history.counts(),
              UnorderedElementsAre(Pair(5, 0), Pair(6, 1), Pair(7, 1)));
  history.Append(6);
  history.Append(8);
  EXPECT_THAT(history.counts(), UnorderedElementsAre(Pair(5, 0), Pair(6, 2),
                                                     Pair(7, 1), Pair(8, 1)));
  EXPECT_EQ(history.size(), 7);
}

TEST(TokenHistoryTest, CountsNothingWithoutPenalties) {
  TokenHistory history({5, 6}, 2, SamplingParams());
  history.Append(6);
  EXPECT_THAT(history.counts(), IsEmpty());
}

TEST(TokenHistoryTest, KnowsWhatItEndsWith) {
  const TokenHistory history({1, 2, 3}, 3, SamplingParams());
  EXPECT_TRUE(history.EndsWith({}));
  EXPECT_TRUE(history.EndsWith(std::vector<Token>{3}));
  EXPECT_TRUE(history.EndsWith(std::vector<Token>{1, 2, 3}));
  EXPECT_FALSE(history.EndsWith(std::vector<Token>{2}));
  EXPECT_FALSE(history.EndsWith(std::vector<Token>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace quire
