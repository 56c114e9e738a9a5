#include "client/units.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(FormatBytesTest, ChoosesTheUnit) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1024), "1 KiB");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes(12ull << 30), "12 GiB");
  EXPECT_EQ(FormatBytes(12'800), "12.5 KiB");
  EXPECT_EQ(FormatBytes((12ull << 30) - 1), "12 GiB");
  EXPECT_EQ(FormatBytes(102'350), "100 KiB");
  EXPECT_EQ(FormatBytes(102'912), "100 KiB");
  EXPECT_EQ(FormatBytes(5000ull << 40), "5000 TiB");
}

TEST(FormatCountTest, GroupsDigits) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(1234567), "1,234,567");
}

TEST(FormatSecondsTest, ShowsTheTwoLargestUnits) {
  EXPECT_EQ(FormatSeconds(0.9), "0s");
  EXPECT_EQ(FormatSeconds(59), "59s");
  EXPECT_EQ(FormatSeconds(125), "2m 05s");
  EXPECT_EQ(FormatSeconds(3720), "1h 02m");
  EXPECT_EQ(FormatSeconds(86400 * 3 + 3600 * 4), "3d 04h");
}

TEST(FormatShareTest, ShowsPerCentAlsoOfNothing) {
  EXPECT_EQ(FormatShare(1, 3), "33 %");
  EXPECT_EQ(FormatShare(0, 0), "0 %");
}

TEST(PrintableTest, CutsLongNamesVisibly) {
  EXPECT_EQ(Printable("abcdef", 6), "abcdef");
  EXPECT_EQ(Printable("abcdefg", 6), "abcde~");
}

TEST(PrintableTest, DisarmsWhatCouldCommandTheTerminal) {
  EXPECT_EQ(Printable("a\x1b[2J\nb", 20), "a?[2J?b");
  EXPECT_EQ(Printable("\xc3\xa9", 20), "??");
}

}  // namespace
}  // namespace quire
