#include "scheduler/policy/order.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(OrderTest, FirstComeFirstServed) {
  const PlaceInOrder first = {.arrival = 1};
  const PlaceInOrder second = {.arrival = 2};
  EXPECT_TRUE(ServedBefore(first, second));
  EXPECT_FALSE(ServedBefore(second, first));
  EXPECT_FALSE(ServedBefore(first, first));
}

}  // namespace
}  // namespace quire
