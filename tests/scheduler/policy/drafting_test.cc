#include "scheduler/policy/drafting.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Token> Guess(const std::vector<Token>& tokens,
                         uint32_t num_in_flight, uint32_t num_drafts) {
  std::vector<Token> drafts = {99};
  GuessFromText(tokens, num_in_flight, num_drafts, drafts);
  return drafts;
}

TEST(DraftingTest, TheRoomIsWhatIsLeftOfCheapRows) {
  EXPECT_EQ(DraftsForEach({.num_rows = 1,
                           .num_sequences = 1,
                           .cheap_rows = 16,
                           .max_drafts = 7}),
            7);
  EXPECT_EQ(DraftsForEach({.num_rows = 4,
                           .num_sequences = 4,
                           .cheap_rows = 16,
                           .max_drafts = 7}),
            3);
  EXPECT_EQ(DraftsForEach({.num_rows = 9,
                           .num_sequences = 9,
                           .cheap_rows = 16,
                           .max_drafts = 7}),
            0);
}

TEST(DraftingTest, NothingIsGuessedBesideAPromptOrWhereNoRowIsCheap) {
  EXPECT_EQ(DraftsForEach({.num_rows = 101,
                           .num_sequences = 2,
                           .cheap_rows = 16,
                           .max_drafts = 7}),
            0);
  EXPECT_EQ(DraftsForEach({.num_rows = 1,
                           .num_sequences = 1,
                           .cheap_rows = 0,
                           .max_drafts = 7}),
            0);
  EXPECT_EQ(DraftsForEach({.cheap_rows = 16, .max_drafts = 7}), 0);
}

TEST(DraftingTest, ATextGoesOnAsItDidBefore) {
  EXPECT_THAT(Guess({1, 2, 3, 4, 5, 6, 9, 1, 2, 3}, 0, 2), ElementsAre(4, 5));
}

TEST(DraftingTest, TheLongestMatchCountsThenTheLatest) {
  EXPECT_THAT(Guess({1, 2, 3, 4, 9, 3, 5, 9, 2, 3, 6, 1, 2, 3}, 0, 1),
              ElementsAre(4));
  EXPECT_THAT(Guess({1, 3, 5, 2, 3, 6, 9, 2, 3}, 0, 1), ElementsAre(6));
}

TEST(DraftingTest, ATextThatRepeatsItselfGoesOnForEver) {
  EXPECT_THAT(Guess({7, 1, 2, 1, 2, 1}, 0, 5), ElementsAre(2, 1, 2, 1, 2));
  EXPECT_THAT(Guess({4, 4, 4}, 0, 3), ElementsAre(4, 4, 4));
}

TEST(DraftingTest, TokensInFlightAreGuessedAndLeftOut) {
  EXPECT_THAT(Guess({1, 2, 3, 4, 5, 6, 1, 2, 3}, 1, 2), ElementsAre(5, 6));
}

TEST(DraftingTest, NothingIsGuessedWithoutAnExample) {
  EXPECT_THAT(Guess({1, 2, 3}, 0, 4), IsEmpty());
  EXPECT_THAT(Guess({3, 5, 6, 9, 3}, 0, 4), IsEmpty());  // One is too few.
  EXPECT_THAT(Guess({1}, 0, 4), IsEmpty());
  EXPECT_THAT(Guess({1, 1}, 0, 0), IsEmpty());
}

TEST(DraftingTest, WrongGuessesArePausedFor) {
  GuessPace pace;
  EXPECT_TRUE(pace.MayGuess(0));
  pace.Observe(/*num_tokens=*/10, /*num_right=*/0);  // The 11th was sampled.
  EXPECT_FALSE(pace.MayGuess(11));
  EXPECT_TRUE(pace.MayGuess(12));
  pace.Observe(12, 0);
  EXPECT_FALSE(pace.MayGuess(15));
  EXPECT_TRUE(pace.MayGuess(16));
  pace.Observe(16, 2);
  EXPECT_TRUE(pace.MayGuess(19));
  pace.Observe(19, 0);
  EXPECT_TRUE(pace.MayGuess(21));
}

TEST(DraftingTest, NoPauseIsForEver) {
  GuessPace pace;
  for (int i = 0; i < 40; ++i) pace.Observe(100, 0);
  EXPECT_FALSE(pace.MayGuess(163));
  EXPECT_TRUE(pace.MayGuess(164));
}

}  // namespace
}  // namespace quire
