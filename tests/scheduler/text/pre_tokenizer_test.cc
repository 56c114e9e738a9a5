#include "scheduler/text/pre_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/scheduler/text/error_of.h"

namespace quire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Behavior = SplitStep::Behavior;

std::vector<std::string> Words(const std::vector<SplitStep>& steps,
                               const std::string& text) {
  const auto pre_tokenizer = PreTokenizer::Create(steps).value();
  SplitPattern::Scratch scratch;
  std::vector<std::string> words;
  const absl::Status status = pre_tokenizer.Split(
      text, &scratch, [&](std::string_view word) { words.emplace_back(word); });
  EXPECT_TRUE(status.ok()) << status;
  return words;
}

std::vector<std::string> CutAtDashes(Behavior behavior, const std::string& text,
                                     bool invert = false) {
  return Words({{.pattern = "-",
                 .is_literal = true,
                 .behavior = behavior,
                 .invert = invert}},
               text);
}

// The examples in the documentation of `tokenizers`.
TEST(PreTokenizerTest, EachBehaviorTreatsMatchesItsOwnWay) {
  const std::string text = "the-final--countdown";
  EXPECT_THAT(CutAtDashes(Behavior::kRemoved, text),
              ElementsAre("the", "final", "countdown"));
  EXPECT_THAT(CutAtDashes(Behavior::kIsolated, text),
              ElementsAre("the", "-", "final", "-", "-", "countdown"));
  EXPECT_THAT(CutAtDashes(Behavior::kMergedWithPrevious, text),
              ElementsAre("the-", "final-", "-", "countdown"));
  EXPECT_THAT(CutAtDashes(Behavior::kMergedWithNext, text),
              ElementsAre("the", "-final", "-", "-countdown"));
  EXPECT_THAT(CutAtDashes(Behavior::kContiguous, text),
              ElementsAre("the", "-", "final", "--", "countdown"));
}

TEST(PreTokenizerTest, MatchesAtTheEndsHaveNothingToMergeWith) {
  EXPECT_THAT(CutAtDashes(Behavior::kMergedWithPrevious, "-a-"),
              ElementsAre("-", "a-"));
  EXPECT_THAT(CutAtDashes(Behavior::kMergedWithNext, "-a-"),
              ElementsAre("-a", "-"));
  EXPECT_THAT(CutAtDashes(Behavior::kRemoved, "---"), IsEmpty());
}

TEST(PreTokenizerTest, InvertedMatchesAndGapsChangePlaces) {
  EXPECT_THAT(CutAtDashes(Behavior::kRemoved, "a-b--c", /*invert=*/true),
              ElementsAre("-", "-", "-"));
}

TEST(PreTokenizerTest, LaterStepsCutThePiecesOfEarlierOnes) {
  EXPECT_THAT(Words({{.pattern = R"(\p{N})"}, {.pattern = R"(\s+$|\p{L}+)"}},
                    "ab 12 c"),
              ElementsAre("ab", " ", "1", "2", " ", "c"));
}

TEST(PreTokenizerTest, WithoutStepsTheTextIsOneWord) {
  EXPECT_THAT(Words({}, "a b"), ElementsAre("a b"));
  EXPECT_THAT(Words({}, ""), IsEmpty());
}

TEST(PreTokenizerTest, ABrokenStepIsRefused) {
  EXPECT_THAT(testing::ErrorOf(PreTokenizer::Create({{.pattern = "("}})),
              HasSubstr("does not compile"));
}

}  // namespace
}  // namespace quire
