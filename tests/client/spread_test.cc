#include "client/spread.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(SpreadTest, IsMeanLeastAndMost) {
  const Spread spread = SpreadOf({4, 1, 1});
  EXPECT_EQ(spread.mean, 2);
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.most, 4);
}

TEST(SpreadTest, WritesJson) {
  EXPECT_EQ(SpreadJson({.mean = 2, .least = 1, .most = 4}).dump(),
            R"({"mean":2.0,"least":1.0,"most":4.0})");
}

}  // namespace
}  // namespace quire
