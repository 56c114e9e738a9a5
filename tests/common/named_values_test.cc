#include "common/named_values.h"

#include <string>

#include "gtest/gtest.h"

namespace quire {
namespace {

enum class Season { kSpring, kSummer, kAutumn };
constexpr NamedValue<Season> kSeasons[] = {{"spring", Season::kSpring},
                                           {"summer", Season::kSummer},
                                           {"autumn", Season::kAutumn}};

TEST(NamedValuesTest, EveryNameIsReadAsItIsWritten) {
  for (const NamedValue<Season>& named : kSeasons) {
    Season season = Season::kSpring;
    std::string error;
    EXPECT_TRUE(ParseNamedValue(kSeasons, named.name, &season, &error));
    EXPECT_EQ(season, named.value);
    EXPECT_EQ(NameOf(kSeasons, season), named.name);
    EXPECT_EQ(error, "");
  }
}

TEST(NamedValuesTest, AnUnknownNameListsTheOthersAndChangesNothing) {
  for (const char* text : {"winter", "", "Summer", "summer "}) {
    Season season = Season::kAutumn;
    std::string error;
    EXPECT_FALSE(ParseNamedValue(kSeasons, text, &season, &error)) << text;
    EXPECT_EQ(season, Season::kAutumn);
    EXPECT_EQ(error, "it must be spring, summer or autumn");
  }
}

TEST(NamedValuesTest, AValueWithoutANameIsItsNumber) {
  EXPECT_EQ(NameOf(kSeasons, static_cast<Season>(7)), "7");
}

}  // namespace
}  // namespace quire
