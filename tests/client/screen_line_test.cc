#include "client/screen_line.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(ScreenLineTest, PlainTextHasNoEscapeCodes) {
  ScreenLine line;
  line.Add("ab", {.color = 75, .bold = true}).Add("cd");
  EXPECT_EQ(line.Render(80, /*with_styles=*/false), "abcd");
}

TEST(ScreenLineTest, StylesEndWithTheirPiece) {
  ScreenLine line;
  line.Add("ab", {.color = 75, .bold = true}).Add("cd").Add("e", {.dim = true});
  EXPECT_EQ(line.Render(80, /*with_styles=*/true),
            "\x1b[1m\x1b[38;5;75mab\x1b[0mcd\x1b[2me\x1b[0m");
}

TEST(ScreenLineTest, CutsByCharactersNotBytes) {
  ScreenLine line;
  line.Add("▁▂").Add("▃▄");
  EXPECT_EQ(line.Render(3, /*with_styles=*/false), "▁▂▃");
  EXPECT_EQ(line.Render(0, /*with_styles=*/false), "");
}

}  // namespace
}  // namespace quire
