#include "scheduler/text/unicode.h"

#include <gtest/gtest.h>

#include <string>

namespace quire {
namespace {

TEST(UnicodeTest, ComposesAndOrdersMarks) {
  EXPECT_EQ(NormalizeNfc("e\u0301"), "\u00e9");
  EXPECT_EQ(NormalizeNfc("s\u0307\u0323"),
            "\u1e69");  // Ordered, then composed.
  EXPECT_EQ(NormalizeNfc("\u1100\u1161\u11a8"), "\uac01");  // Hangul.
  EXPECT_EQ(NormalizeNfc("\u212b"), "\u00c5");              // A singleton.
  EXPECT_EQ(NormalizeNfc("\u0958"),
            "\u0915\u093c");  // Excluded from composition.
  EXPECT_EQ(NormalizeNfc("\U0001d15e"), "\U0001d157\U0001d165");
  EXPECT_EQ(NormalizeNfc("plain \u00e9"), "plain \u00e9");
}

TEST(UnicodeTest, OrdersManyMarksInLittleTime) {
  std::string text = "a", first, second;
  for (int i = 0; i < 200'000; ++i) {
    text += "\u0301\u0323";
    first += "\u0323";
    second += "\u0301";
  }
  // The first mark of each class composes with the letter only where nothing
  // blocks it.
  EXPECT_EQ(NormalizeNfc(text), "\u1ea1" + first.substr(2) + second);
}

TEST(UnicodeTest, QuickLookNeverClaimsTooMuch) {
  EXPECT_TRUE(IsSurelyNfc("all of Latin-1: \u00e9\u00ff"));
  EXPECT_FALSE(IsSurelyNfc("e\u0301"));
}

TEST(UnicodeTest, WordCharactersAreLettersMarksDigitsAndConnectors) {
  for (const char32_t c : U"aZ9_\u00e9\u4f60\u0301\u0665") {
    if (c != 0) EXPECT_TRUE(IsWordCharacter(c)) << static_cast<unsigned>(c);
  }
  for (const char32_t c : {U' ', U'-', U'<', U'\u2019', U'\u00bd'})
    EXPECT_FALSE(IsWordCharacter(c));
}

TEST(UnicodeTest, StripsWhatPythonStrips) {
  EXPECT_EQ(StripLikePython(" \t\n\x1c\u00a0 a b \u3000\u2028"), "a b");
  EXPECT_EQ(StripLikePython("\u200b"), "\u200b");
  EXPECT_EQ(StripLikePython("  "), "");
}

TEST(UnicodeTest, MeasuresWhitespaceAtBothEnds) {
  EXPECT_EQ(TrailingWhitespaceBegin("ab \u3000"), 2u);
  EXPECT_EQ(LeadingWhitespaceEnd("\u00a0 ab"), 3u);
  EXPECT_EQ(LeadingWhitespaceEnd("\u180e"), 0u);
}

}  // namespace
}  // namespace quire
