#include "client/svg_chart.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(SvgChartTest, LinesRunThroughTheirPoints) {
  const std::string svg = SvgOf({{.title = "t",
                                  .x_label = "x",
                                  .y_label = "y",
                                  .y_max = 10,
                                  .x = {0, 1, 2},
                                  .series = {{"s", {0, 5, 3}}}}});
  EXPECT_THAT(svg, StartsWith("<svg "));
  // The plot is 60 to 480 wide and 270 up to 40 high.
  EXPECT_THAT(svg, HasSubstr("points=\"60.0,270.0 270.0,155.0 480.0,201.0 \""));
  EXPECT_THAT(svg, HasSubstr(">s</text>"));
}

TEST(SvgChartTest, LinesEndWhereTheyLeaveTheChart) {
  // From 0 to 40 at x = 1: 10 is reached at a quarter of the way, and left
  // alone until the line has come down again.
  const std::string svg = SvgOf({{.y_max = 10,
                                  .x = {0, 1, 2, 3, 4},
                                  .series = {{"s", {0, 40, 50, 30, 5}}}}});
  EXPECT_THAT(svg, HasSubstr("points=\"60.0,270.0 86.2,40.0 \""));
  EXPECT_THAT(svg, HasSubstr("points=\"459.0,40.0 480.0,155.0 \""));
}

TEST(SvgChartTest, ALineThatIsAlwaysAboveIsNotDrawn) {
  const std::string svg =
      SvgOf({{.y_max = 1, .x = {0, 1}, .series = {{"s", {2, 3}}}}});
  EXPECT_THAT(svg, Not(HasSubstr("polyline")));
}

TEST(SvgChartTest, TicksAreRoundNumbers) {
  const std::string svg =
      SvgOf({{.y_max = 1, .x = {0.25, 4}, .series = {{"s", {0, 0}}}}});
  for (const char* tick : {"0", "1", "2", "3", "4", "0.2", "0.8"}) {
    EXPECT_THAT(svg, HasSubstr(absl::StrCat(">", tick, "</text>")));
  }
  EXPECT_THAT(svg, Not(HasSubstr(">0.25</text>")));
  // The axis begins at its first tick, so that a sixteenth of it is left out.
  EXPECT_THAT(svg, HasSubstr("points=\"86.2,270.0 480.0,270.0 \""));
}

TEST(SvgChartTest, ALimitIsALineAcross) {
  const std::string svg = SvgOf({{.y_max = 1,
                                  .x = {0, 1},
                                  .series = {{"s", {0, 1}}},
                                  .limit = {{0.2, "slow"}}}});
  EXPECT_THAT(svg, HasSubstr("<path d=\"M60.0 224.0 H480.0\""));
  EXPECT_THAT(svg, HasSubstr(">slow</text>"));
}

TEST(SvgChartTest, BarsHaveOtherColoursThanLines) {
  const std::string lines = SvgOf({{.x = {0, 1}, .series = {{"s", {0, 1}}}}});
  const std::string bars = SvgOf({{.bars = {"x"}, .series = {{"s", {1}}}}});
  EXPECT_THAT(lines, HasSubstr("#0072b2"));
  EXPECT_THAT(bars, Not(HasSubstr("#0072b2")));
}

TEST(SvgChartTest, BarsAreStacks) {
  const std::string svg = SvgOf(
      {{.y_max = 100, .bars = {"one"}, .series = {{"a", {50}}, {"b", {25}}}}});
  EXPECT_THAT(svg, HasSubstr("x=\"144.0\" y=\"155.0\" width=\"252.0\" "
                             "height=\"115.0\""));
  EXPECT_THAT(svg, HasSubstr("x=\"144.0\" y=\"97.5\" width=\"252.0\" "
                             "height=\"57.5\""));
}

TEST(SvgChartTest, ChartsStandBelowEachOther) {
  const Chart chart = {.title = "c", .bars = {"x"}, .series = {{"a", {1}}}};
  const std::string svg = SvgOf({chart, chart});
  EXPECT_THAT(svg, HasSubstr("height=\"640\""));
  EXPECT_THAT(svg, HasSubstr("translate(0 320)"));
}

TEST(SvgChartTest, TextIsNoMarkup) {
  const std::string svg =
      SvgOf({{.title = "a<b & c", .bars = {"x"}, .series = {{"a", {1}}}}});
  EXPECT_THAT(svg, HasSubstr("a&lt;b &amp; c"));
}

}  // namespace
}  // namespace quire
