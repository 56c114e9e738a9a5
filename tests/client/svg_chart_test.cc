#include "client/svg_chart.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(SvgChartTest, LinesRunThroughTheirPoints) {
  const std::string svg = SvgOf({{.title = "t",
                                  .x_label = "x",
                                  .y_label = "y",
                                  .y_max = 10,
                                  .x = {0, 1, 2},
                                  .series = {{"s", {0, 5, 100}}}}});
  EXPECT_THAT(svg, StartsWith("<svg "));
  // The plot is 60 to 480 wide and 270 up to 40 high; 100 is cut off at 10.
  EXPECT_THAT(svg, HasSubstr("points=\"60.0,270.0 270.0,155.0 480.0,40.0 \""));
  EXPECT_THAT(svg, HasSubstr(">s</text>"));
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
