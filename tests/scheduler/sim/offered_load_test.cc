#include "scheduler/sim/offered_load.h"

#include <cmath>

#include "gtest/gtest.h"

namespace quire {
namespace {

OfferedLoad Recorded() {
  return OfferedLoad::Recorded(
      {{.arrival = absl::Seconds(1), .prompt_tokens = 5, .output_tokens = 1},
       {.arrival = absl::Seconds(2), .prompt_tokens = 6, .output_tokens = 1},
       {.arrival = absl::Seconds(5), .prompt_tokens = 7, .output_tokens = 1}});
}

TEST(OfferedLoadTest, ARecordedTraceKeepsItsOrderAtEveryRate) {
  const OfferedLoad load = Recorded();
  EXPECT_DOUBLE_EQ(load.rate(), 0.5);
  const Trace twice_as_fast = load.At(1, /*seed=*/1);
  ASSERT_EQ(twice_as_fast.size(), 3);
  EXPECT_EQ(twice_as_fast[0].arrival, absl::Milliseconds(500));
  EXPECT_EQ(twice_as_fast[2].arrival, absl::Milliseconds(2500));
  EXPECT_EQ(twice_as_fast[1].prompt_tokens, 6);
}

TEST(OfferedLoadTest, ARecordedTraceIsTheSameForEverySeed) {
  const OfferedLoad load = Recorded();
  EXPECT_TRUE(load.is_recorded());
  EXPECT_EQ(load.AsItIs(1)[2].arrival, absl::Seconds(5));
  EXPECT_EQ(load.AsItIs(2)[2].arrival, absl::Seconds(5));
}

TEST(OfferedLoadTest, WhatArrivesAtOnceHasNoRate) {
  const OfferedLoad load = OfferedLoad::Recorded({{}, {}});
  EXPECT_TRUE(std::isinf(load.rate()));
}

TEST(OfferedLoadTest, AModelledTraceIsAnotherForEachSeed) {
  const OfferedLoad load =
      OfferedLoad::Modelled({.rate = 4, .num_requests = 50});
  EXPECT_FALSE(load.is_recorded());
  EXPECT_EQ(load.rate(), 4);
  EXPECT_EQ(load.AsItIs(3).back().arrival, load.AsItIs(3).back().arrival);
  EXPECT_NE(load.AsItIs(3).back().arrival, load.AsItIs(4).back().arrival);
}

TEST(OfferedLoadTest, RequestsAreTheSameAtEveryRate) {
  const OfferedLoad load =
      OfferedLoad::Modelled({.rate = 4, .num_requests = 50});
  const Trace slow = load.At(1, /*seed=*/3);
  const Trace fast = load.At(8, /*seed=*/3);
  EXPECT_EQ(slow.back().prompt_tokens, fast.back().prompt_tokens);
  EXPECT_NEAR(absl::ToDoubleSeconds(slow.back().arrival),
              absl::ToDoubleSeconds(8 * fast.back().arrival), 1e-6);
}

}  // namespace
}  // namespace quire
