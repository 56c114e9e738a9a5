#include "scheduler/text/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace quire {
namespace {

using Kind = Utf8Scan::Kind;

void ExpectScan(const std::string& bytes, Kind kind, size_t length) {
  const Utf8Scan scan = ScanUtf8(bytes);
  EXPECT_EQ(scan.kind, kind) << ::testing::PrintToString(bytes);
  EXPECT_EQ(scan.length, length) << ::testing::PrintToString(bytes);
}

TEST(Utf8Test, EveryCodePointSurvivesTheRoundTrip) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;
    std::string bytes;
    AppendUtf8(c, &bytes);
    const Utf8Scan scan = ScanUtf8(bytes);
    ASSERT_EQ(scan.kind, Kind::kCharacter);
    ASSERT_EQ(scan.length, bytes.size());
    ASSERT_EQ(scan.code_point, c);
    ASSERT_EQ(Utf8Length(bytes[0]), bytes.size());
  }
}

TEST(Utf8Test, BeginningsOfCharactersAreIncomplete) {
  ExpectScan("\xC3", Kind::kIncomplete, 1);
  ExpectScan("\xE4\xBD", Kind::kIncomplete, 2);
  ExpectScan("\xF0\x9F\x91", Kind::kIncomplete, 3);
}

TEST(Utf8Test, InvalidBytesTakeTheLongestBeginningOfACharacter) {
  ExpectScan("\x80x", Kind::kInvalid, 1);
  ExpectScan("\xC0\x80", Kind::kInvalid, 1);          // Overlong.
  ExpectScan("\xE0\x80\x80", Kind::kInvalid, 1);      // Overlong.
  ExpectScan("\xED\xA0\x80", Kind::kInvalid, 1);      // A surrogate.
  ExpectScan("\xF4\x90\x80\x80", Kind::kInvalid, 1);  // Above U+10FFFF.
  ExpectScan("\xF5", Kind::kInvalid, 1);
  ExpectScan("\xE4\xBDx", Kind::kInvalid, 2);
  ExpectScan("\xF0\x9F\x91x", Kind::kInvalid, 3);
}

TEST(Utf8Test, FindsTheFirstInvalidByte) {
  EXPECT_EQ(FindInvalidUtf8(""), std::string::npos);
  EXPECT_EQ(FindInvalidUtf8("plain text, naïve 你好"), std::string::npos);
  EXPECT_EQ(FindInvalidUtf8("0123456789abcdef\xFF"), 16u);
  EXPECT_EQ(FindInvalidUtf8("ab\xE4\xBD"), 2u);
}

}  // namespace
}  // namespace quire
