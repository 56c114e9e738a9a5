#include "scheduler/text/special_token_matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace quire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The matches in a text, as "begin-end".
std::vector<std::string> Matches(const std::vector<SpecialToken>& tokens,
                                 const std::string& text,
                                 bool with_control = true) {
  const SpecialTokenMatcher matcher(tokens);
  std::vector<std::string> found;
  size_t from = 0;
  while (const auto match = matcher.Find(text, from, with_control)) {
    found.push_back(std::to_string(match->begin) + "-" +
                    std::to_string(match->end));
    from = match->end;
  }
  return found;
}

TEST(SpecialTokenMatcherTest, TheLeftmostThenTheLongestWins) {
  const std::vector<SpecialToken> tokens{
      {.text = "<a>"}, {.text = "<a><b>"}, {.text = "a><b><c>"}};
  EXPECT_THAT(Matches(tokens, "x<a><b><c>"), ElementsAre("1-7"));
  EXPECT_THAT(Matches(tokens, "<a><c>"), ElementsAre("0-3"));
  EXPECT_THAT(Matches(tokens, "a><b><c>"), ElementsAre("0-8"));
}

TEST(SpecialTokenMatcherTest, ControlTokensAreFoundOnlyWhereWanted) {
  const std::vector<SpecialToken> tokens{{.text = "<s>"},
                                         {.text = "<s", .is_control = false}};
  EXPECT_THAT(Matches(tokens, "<s>", /*with_control=*/true),
              ElementsAre("0-3"));
  EXPECT_THAT(Matches(tokens, "<s>", /*with_control=*/false),
              ElementsAre("0-2"));
}

TEST(SpecialTokenMatcherTest, SomeTokensTakeWhitespaceAlong) {
  EXPECT_THAT(Matches({{.text = "<m>", .strips_left = true}}, "a \n<m> b"),
              ElementsAre("1-6"));
  EXPECT_THAT(Matches({{.text = "<m>", .strips_right = true}}, "a <m>\u00a0 b"),
              ElementsAre("2-8"));
  EXPECT_THAT(
      Matches({{.text = "<m>", .strips_left = true, .strips_right = true}},
              "<m> <m> "),
      ElementsAre("0-4", "4-8"));
}

TEST(SpecialTokenMatcherTest, ASingleWordStandsAlone) {
  const std::vector<SpecialToken> tokens{{.text = "mask", .single_word = true}};
  EXPECT_THAT(Matches(tokens, "mask (mask) unmask masked \u00e9mask mask"),
              ElementsAre("0-4", "6-10", "33-37"));
}

TEST(SpecialTokenMatcherTest, NothingIsFoundWithoutTokens) {
  EXPECT_THAT(Matches({}, "<s>"), IsEmpty());
}

TEST(SpecialTokenMatcherTest, AgreesWithTryingEveryTokenEverywhere) {
  std::mt19937 random(1);
  const auto random_text = [&](size_t max) {
    std::string text;
    for (size_t length = 1 + random() % max; length > 0; --length)
      text.push_back("ab<"[random() % 3]);
    return text;
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<SpecialToken> tokens;
    std::set<std::string> texts;
    for (int i = 0; i < 5; ++i) texts.insert(random_text(4));
    for (const std::string& each : texts)
      tokens.push_back({.text = each, .is_control = random() % 2 == 0});
    const std::string text = random_text(30);
    const bool with_control = random() % 2 == 0;
    std::vector<std::string> expected;
    for (size_t begin = 0; begin < text.size();) {
      size_t longest = 0;
      for (const SpecialToken& token : tokens) {
        if (token.is_control && !with_control) continue;
        if (text.compare(begin, token.text.size(), token.text) == 0)
          longest = std::max(longest, token.text.size());
      }
      if (longest > 0)
        expected.push_back(std::to_string(begin) + "-" +
                           std::to_string(begin + longest));
      begin += std::max<size_t>(longest, 1);
    }
    ASSERT_EQ(Matches(tokens, text, with_control), expected) << text;
  }
}

}  // namespace
}  // namespace quire
