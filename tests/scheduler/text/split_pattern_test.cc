#include "scheduler/text/split_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/scheduler/text/error_of.h"

namespace quire {
namespace {

using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;

std::vector<std::string> Matches(const SplitPattern& pattern,
                                 const std::string& text) {
  SplitPattern::Scratch scratch;
  std::vector<std::string> matches;
  for (size_t from = 0;;) {
    const auto match = pattern.Find(text, from, &scratch).value();
    if (!match.has_value()) return matches;
    matches.push_back(text.substr(match->begin, match->end - match->begin));
    from = match->end;
  }
}

std::vector<std::string> Matches(const std::string& regex,
                                 const std::string& text) {
  return Matches(SplitPattern::CompileRegex(regex).value(), text);
}

TEST(SplitPatternTest, FindsMatchesInOrder) {
  EXPECT_THAT(Matches(R"( ?\p{L}+|\p{N})", "ab cé 12"),
              ElementsAre("ab", " cé", "1", "2"));
}

TEST(SplitPatternTest, LiteralsHaveNoSpecialSigns) {
  EXPECT_THAT(
      Matches(SplitPattern::CompileLiteral("a.(").value(), "a.(abc(a.("),
      ElementsAre("a.(", "a.("));
  EXPECT_THAT(ErrorOf(SplitPattern::CompileLiteral("")),
              HasSubstr("INVALID_ARGUMENT: an empty text"));
}

TEST(SplitPatternTest, EmptyMatchesAreSkipped) {
  EXPECT_THAT(Matches("x*", "äxxä"), ElementsAre("xx"));
  EXPECT_THAT(Matches("(?=a)|b", "aab"), ElementsAre("b"));
}

TEST(SplitPatternTest, ABrokenPatternIsRefusedWithThePlace) {
  EXPECT_THAT(ErrorOf(SplitPattern::CompileRegex("a(b")),
              HasSubstr("'a(b' does not compile at byte 3: missing"));
  EXPECT_THAT(ErrorOf(SplitPattern::CompileRegex(R"(\p{Nonsense})")),
              HasSubstr("does not compile"));
}

TEST(SplitPatternTest, MegabyteRunsAreDigested) {
  const auto pattern = SplitPattern::CompileRegex(
                           R"([^\r\n\p{L}]?\p{L}+|\s*[\r\n]+|\s+(?!\S)|\s+)")
                           .value();
  EXPECT_EQ(Matches(pattern, std::string(1 << 20, 'a')).size(), 1u);
  EXPECT_EQ(Matches(pattern, std::string(1 << 20, ' ') + "\n").size(), 1u);
  EXPECT_EQ(Matches(pattern, std::string(1 << 20, ' ') + "a").size(), 2u);
}

TEST(SplitPatternTest, RunawayPatternsGiveUpWithAnError) {
  const auto pattern = SplitPattern::CompileRegex(R"((?:a+)+[bc])").value();
  SplitPattern::Scratch scratch;
  EXPECT_THAT(
      ErrorOf(pattern.Find(std::string(64, 'a'), 0, &scratch)),
      HasSubstr(
          "INVALID_ARGUMENT: the model's split pattern gives up at byte 0"));
}

TEST(SplitPatternTest, DeepPatternsGetALargerStackOnce) {
  const auto pattern =
      SplitPattern::CompileRegex(R"((?:a|(?:b|c)d)+e)").value();
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "abd";
  EXPECT_EQ(Matches(pattern, text + "e").size(), 1u);
}

}  // namespace
}  // namespace quire
