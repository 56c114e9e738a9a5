#include "scheduler/policy/deadline.h"

#include <string>

#include "gtest/gtest.h"

namespace quire {
namespace {

constexpr WorkRates kRates = {.ns_per_prompt_row = 1e6,
                              .ns_per_decode_step = 5e6};

struct Case {
  const char* name;
  LeastWork work;
  WorkRates rates;
  absl::Duration time;
};

class DeadlineTest : public testing::TestWithParam<Case> {};

TEST_P(DeadlineTest, Estimates) {
  const Case& c = GetParam();
  EXPECT_EQ(LeastTime(c.work, c.rates), c.time);
  const absl::Time deadline = absl::UnixEpoch() + absl::Hours(1);
  EXPECT_EQ(LatestStart(deadline, c.work, c.rates), deadline - c.time);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, DeadlineTest,
    testing::Values(
        Case{"NothingTakesNoTime", {}, kRates, absl::ZeroDuration()},
        Case{"RowsOfPrompts",
             {.prompt_rows = 200},
             kRates,
             absl::Milliseconds(200)},
        Case{"StepsOfTokens",
             {.decode_steps = 10},
             kRates,
             absl::Milliseconds(50)},
        Case{"OneAfterTheOther",
             {.prompt_rows = 200, .decode_steps = 10},
             kRates,
             absl::Milliseconds(250)},
        Case{"WhatNobodyHasMeasuredIsNothing",
             {.prompt_rows = 200, .decode_steps = 10},
             {},
             absl::ZeroDuration()},
        Case{"WhatIsMeasuredCounts",
             {.prompt_rows = 200, .decode_steps = 10},
             {.ns_per_decode_step = 5e6},
             absl::Milliseconds(50)},
        Case{"ALongQueue",
             {.prompt_rows = uint64_t{1} << 40},
             {.ns_per_prompt_row = 1e9},
             absl::Seconds(int64_t{1} << 40)}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(LatestStartTest, WhoHasNoDeadlineMayStartAtAnyTime) {
  EXPECT_EQ(LatestStart(absl::InfiniteFuture(), {.prompt_rows = 200}, kRates),
            absl::InfiniteFuture());
}

TEST(UnmeetableErrorTest, NamesTheDeadlineAndTheEarliestEnd) {
  const absl::Time now = absl::UnixEpoch();
  EXPECT_EQ(UnmeetableError(now, now + absl::Seconds(2), {.prompt_rows = 5200},
                            kRates),
            absl::DeadlineExceededError(
                "the deadline cannot be met: it is in 2s, the earliest end in "
                "5.2s"));
}

TEST(UnmeetableErrorTest, TimesThatHardlyDifferDoNotLookTheSame) {
  const absl::Time now = absl::UnixEpoch();
  EXPECT_EQ(
      UnmeetableError(now, now + absl::Microseconds(1331200),
                      {.prompt_rows = 1}, {.ns_per_prompt_row = 1331.7e6}),
      absl::DeadlineExceededError(
          "the deadline cannot be met: it is in 1.331s, the earliest end "
          "in 1.332s"));
}

}  // namespace
}  // namespace quire
