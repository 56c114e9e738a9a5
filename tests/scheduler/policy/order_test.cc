#include "scheduler/policy/order.h"

#include <string>

#include "gtest/gtest.h"

namespace quire {
namespace {

constexpr absl::Duration kHeadStart = absl::Seconds(30);

// A request that came `seconds` after the first one.
PlaceInOrder Place(int seconds, Priority priority, uint64_t arrival) {
  return {.virtual_arrival = VirtualArrival(
              absl::UnixEpoch() + absl::Seconds(seconds), priority, kHeadStart),
          .arrival = arrival};
}

struct Case {
  const char* name;
  Priority first;  // Came at 0.
  Priority second;
  int seconds;  // When the second one came.
  bool passes;  // Whether the second one is served before the first.
};

class OrderTest : public testing::TestWithParam<Case> {};

TEST_P(OrderTest, Serves) {
  const Case& c = GetParam();
  const PlaceInOrder first = Place(0, c.first, 1);
  const PlaceInOrder second = Place(c.seconds, c.second, 2);
  EXPECT_EQ(ServedBefore(second, first), c.passes);
  EXPECT_EQ(ServedBefore(first, second), !c.passes);
  EXPECT_FALSE(ServedBefore(first, first));
}

constexpr Priority kLow = Priority::kLow;
constexpr Priority kNormal = Priority::kNormal;
constexpr Priority kHigh = Priority::kHigh;

INSTANTIATE_TEST_SUITE_P(
    Cases, OrderTest,
    testing::Values(
        Case{"FirstComeFirstServed", kNormal, kNormal, 1, false},
        Case{"TheFirstOfTwoAtOnce", kNormal, kNormal, 0, false},
        Case{"SoWithinEachPriority", kLow, kLow, 1, false},
        Case{"HighPassesNormalWithinTheHeadStart", kNormal, kHigh, 29, true},
        Case{"NotAtItsEnd", kNormal, kHigh, 30, false},
        Case{"NormalPassesLowWithinTheHeadStart", kLow, kNormal, 29, true},
        Case{"NotAfterIt", kLow, kNormal, 31, false},
        Case{"HighPassesLowWithinTwo", kLow, kHigh, 59, true},
        Case{"NobodyPassesLowForEver", kLow, kHigh, 61, false},
        Case{"LowPassesNobody", kHigh, kLow, 0, false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(VirtualArrivalTest, WithoutAHeadStartPrioritiesAreAlike) {
  const absl::Time now = absl::UnixEpoch();
  EXPECT_EQ(VirtualArrival(now, kLow, absl::ZeroDuration()), now);
  EXPECT_EQ(VirtualArrival(now, kHigh, absl::ZeroDuration()), now);
}

TEST(VirtualArrivalTest, AnInfiniteHeadStartIsAStrictOrder) {
  const absl::Duration forever = absl::InfiniteDuration();
  const absl::Time now = absl::UnixEpoch();
  EXPECT_EQ(VirtualArrival(now, kLow, forever), absl::InfiniteFuture());
  EXPECT_EQ(VirtualArrival(now, kHigh, forever), absl::InfinitePast());
}

}  // namespace
}  // namespace quire
