#include "client/list_flags.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(TokenIdListTest, ReadsAndPrintsIds) {
  TokenIdList list;
  std::string error;
  ASSERT_TRUE(AbslParseFlag("3,1,2", &list, &error));
  EXPECT_THAT(list.ids, ElementsAre(3, 1, 2));
  EXPECT_EQ(AbslUnparseFlag(list), "3,1,2");
}

TEST(TokenIdListTest, EmptyTextIsAnEmptyList) {
  TokenIdList list = {.ids = {1}};
  std::string error;
  ASSERT_TRUE(AbslParseFlag("", &list, &error));
  EXPECT_THAT(list.ids, IsEmpty());
}

TEST(TokenIdListTest, RefusesWhatIsNoIdAndNamesIt) {
  TokenIdList list;
  std::string error;
  EXPECT_FALSE(AbslParseFlag("1,two", &list, &error));
  EXPECT_EQ(error, "\"two\" is not a token id");
  EXPECT_FALSE(AbslParseFlag("3000000000", &list, &error));
}

TEST(LogitBiasListTest, ReadsAndPrintsPairs) {
  LogitBiasList list;
  std::string error;
  ASSERT_TRUE(AbslParseFlag("7:-2.5,3:1", &list, &error));
  EXPECT_THAT(list.bias, ElementsAre(Pair(3, 1), Pair(7, -2.5)));
  EXPECT_EQ(AbslUnparseFlag(list), "3:1,7:-2.5");
}

TEST(LogitBiasListTest, RefusesWhatIsNoPair) {
  LogitBiasList list;
  std::string error;
  EXPECT_FALSE(AbslParseFlag("7", &list, &error));
  EXPECT_EQ(error, "\"7\" is not ID:VALUE");
  EXPECT_FALSE(AbslParseFlag("x:1", &list, &error));
  EXPECT_FALSE(AbslParseFlag("1:", &list, &error));
}

}  // namespace
}  // namespace quire
