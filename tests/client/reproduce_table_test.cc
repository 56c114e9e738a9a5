#include "client/reproduce_table.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::HasSubstr;
using testing::Not;

ReproducedFigure FigureOf(double paper, double ours,
                          const std::string& why = "") {
  return {.name = "f",
          .paper = PaperFigure{paper, paper},
          .ours = {ours, ours, ours},
          .why = why};
}

TEST(ReproduceTableTest, AFifthAwayIsTheSame) {
  EXPECT_FALSE(Differs(FigureOf(10, 12)));
  EXPECT_FALSE(Differs(FigureOf(10, 8)));
  EXPECT_TRUE(Differs(FigureOf(10, 12.01)));
  EXPECT_TRUE(Differs(FigureOf(10, 7.99)));
  EXPECT_FALSE(Differs({.name = "no paper", .ours = {1, 1, 1}}));
}

TEST(ReproduceTableTest, ARangeIsMetAnywhereWithin) {
  const PaperFigure range = {10, 20};
  EXPECT_FALSE(Differs({.paper = range, .ours = {8, 8, 8}}));
  EXPECT_FALSE(Differs({.paper = range, .ours = {24, 24, 24}}));
  EXPECT_TRUE(Differs({.paper = range, .ours = {7, 7, 7}}));
  EXPECT_TRUE(Differs({.paper = range, .ours = {25, 25, 25}}));
  EXPECT_THAT(SectionText({.figures = {{.name = "f", .paper = range}}}),
              HasSubstr("10 to 20"));
}

TEST(ReproduceTableTest, AGridHasARowForEachPlace) {
  const ReproducedGrid grid = {
      .name = "g", .columns = {"c"}, .rows = {{"r", {{1, 0.5, 2.5}}}}};
  EXPECT_THAT(SectionText({.grids = {grid}}), HasSubstr("1.000 ±1.000"));
  EXPECT_EQ(SectionJson({.grids = {grid}})["grids"][0]["rows"][0]["c"]["most"],
            2.5);
}

TEST(ReproduceTableTest, ADifferenceIsExplained) {
  const std::string text = SectionText(
      {.title = "T",
       .figures = {FigureOf(10, 20, "because"), FigureOf(10, 10, "never")}});
  EXPECT_THAT(text, HasSubstr("differs by more than a fifth: because"));
  EXPECT_THAT(text, Not(HasSubstr("never")));
  EXPECT_THAT(SectionText({.figures = {FigureOf(10, 20)}}),
              HasSubstr("no reason is known"));
}

TEST(ReproduceTableTest, WritesJson) {
  const auto json =
      SectionJson({.title = "T", .figures = {FigureOf(10, 20, "because")}});
  EXPECT_EQ(json["section"], "T");
  EXPECT_EQ(json["figures"][0]["paper"][0], 10);
  EXPECT_EQ(json["figures"][0]["here"]["mean"], 20);
  EXPECT_EQ(json["figures"][0]["why"], "because");
}

}  // namespace
}  // namespace quire
