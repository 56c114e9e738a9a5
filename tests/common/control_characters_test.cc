#include "common/control_characters.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace quire {
namespace {

constexpr size_t kNone = std::string_view::npos;

TEST(FindControlCharacterTest, KnowsAllThreeRanges) {
  EXPECT_EQ(FindControlCharacter("a\nb"), 1u);
  EXPECT_EQ(FindControlCharacter(std::string_view("a\0b", 3)), 1u);
  EXPECT_EQ(FindControlCharacter("ab\x7f"), 2u);
  EXPECT_EQ(FindControlCharacter("\u00e9\u0080"), 2u);
  EXPECT_EQ(FindControlCharacter("\u009b"), 0u);
  EXPECT_EQ(FindControlCharacter("\u009f"), 0u);
}

TEST(FindControlCharacterTest, LetsOtherCharactersPass) {
  EXPECT_EQ(FindControlCharacter(""), kNone);
  EXPECT_EQ(FindControlCharacter(" ~\\"), kNone);
  // Among the bytes of these are some that alone would be control characters.
  EXPECT_EQ(FindControlCharacter("\u00a0\u00c2\u00db\u4e9b\U0001f600"), kNone);
}

TEST(EscapedTest, OrdinaryTextStaysAsItIs) {
  EXPECT_EQ(Escaped("", 5), "");
  EXPECT_EQ(Escaped("gr\u00fc\u00df", 6), "gr\u00fc\u00df");
}

TEST(EscapedTest, ControlCharactersBecomeVisible) {
  EXPECT_EQ(Escaped("a\x1b[2J\nb\x7f\u009b", 50), "a\\x1b[2J\\x0ab\\x7f\\x9b");
}

TEST(EscapedTest, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(Escaped("abcdef", 5), "abcde...");
  EXPECT_EQ(Escaped("abcd\u00e9", 5), "abcd...");
  EXPECT_EQ(Escaped("abc\n", 5), "abc...");
  EXPECT_EQ(Escaped(std::string(1'000'000, 'x'), 200).size(), 203u);
}

TEST(EscapedTest, BytesThatAreNoUtf8AreCounted) {
  EXPECT_EQ(Escaped("a\xc2", 5), "a\xc2");
  EXPECT_EQ(Escaped("a" + std::string(1000, '\x9b'), 5), "...");
}

}  // namespace
}  // namespace quire
