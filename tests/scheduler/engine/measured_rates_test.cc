#include "scheduler/engine/measured_rates.h"

#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace quire {
namespace {

// Runs of so many rows each; `execute_ns` for all of them.
class MeasuredRatesTest : public testing::Test {
 protected:
  void Observe(const std::vector<uint32_t>& rows, uint64_t execute_ns,
               uint32_t num_swapped_blocks = 0, uint64_t swap_ns = 0) {
    std::vector<quire::Run> runs;
    for (const uint32_t num_rows : rows) runs.push_back({.num_rows = num_rows});
    worker::v1::StepTimings timings;
    timings.set_execute_ns(execute_ns);
    timings.set_swap_ns(swap_ns);
    rates_.Observe(runs, num_swapped_blocks, timings);
  }

  MeasuredRates rates_;
};

TEST_F(MeasuredRatesTest, NothingIsKnownBeforeItWasMeasured) {
  EXPECT_EQ(rates_.Means().ns_per_decode_step, std::nullopt);
  EXPECT_EQ(rates_.Means().ns_per_prompt_row, std::nullopt);
  EXPECT_EQ(rates_.Means().ns_per_swapped_block, std::nullopt);
}

TEST_F(MeasuredRatesTest, ADecodeStepIsOneStepWhateverItsRows) {
  Observe({1}, 1000);
  Observe({1, 1, 1}, 1000);
  EXPECT_DOUBLE_EQ(*rates_.Means().ns_per_decode_step, 1000);
  EXPECT_EQ(rates_.Means().ns_per_prompt_row, std::nullopt);
}

TEST_F(MeasuredRatesTest, ADecodeWithDraftsIsNoPrompt) {
  const std::vector<quire::Run> runs = {{.num_rows = 8, .num_drafts = 7}};
  worker::v1::StepTimings timings;
  timings.set_execute_ns(1000);
  rates_.Observe(runs, 0, timings);
  EXPECT_DOUBLE_EQ(*rates_.Means().ns_per_decode_step, 1000);
  EXPECT_EQ(rates_.Means().ns_per_prompt_row, std::nullopt);
}

TEST_F(MeasuredRatesTest, EveryPhaseButSwappingBelongsToAStep) {
  worker::v1::StepTimings timings;
  timings.set_prepare_ns(1);
  timings.set_execute_ns(20);
  timings.set_sample_ns(300);
  timings.set_swap_ns(4000);
  rates_.Observe({}, 0, timings);
  EXPECT_DOUBLE_EQ(*rates_.Means().ns_per_decode_step, 321);
}

TEST_F(MeasuredRatesTest, APromptRowIsWhatAStepTakesBeyondItsDecodes) {
  Observe({1, 1}, 1000);
  Observe({1, 1, 50}, 6000);
  EXPECT_DOUBLE_EQ(*rates_.Means().ns_per_prompt_row, 100);
  EXPECT_DOUBLE_EQ(*rates_.Means().ns_per_decode_step, 1000);
}

TEST_F(MeasuredRatesTest, WithoutADecodeStepAPromptRowIsItsShareOfAll) {
  Observe({50}, 6000);
  EXPECT_DOUBLE_EQ(*rates_.Means().ns_per_prompt_row, 120);
}

TEST_F(MeasuredRatesTest, ALongPromptWeighsMoreThanAShortOne) {
  Observe({2}, 2000);
  Observe({1000}, 10'000);
  EXPECT_LT(*rates_.Means().ns_per_prompt_row, 15);
}

TEST_F(MeasuredRatesTest, APromptStepThatIsFasterThanADecodeStepCostsNothing) {
  Observe({1}, 1000);
  Observe({2}, 900);
  EXPECT_DOUBLE_EQ(*rates_.Means().ns_per_prompt_row, 0);
}

TEST_F(MeasuredRatesTest, ABlockIsItsShareOfTheTimeOfSwapping) {
  Observe({1}, 1000, /*num_swapped_blocks=*/4, /*swap_ns=*/800);
  EXPECT_DOUBLE_EQ(*rates_.Means().ns_per_swapped_block, 200);
}

TEST_F(MeasuredRatesTest, CopiesWithoutSwapsSayNothingOfSwapping) {
  Observe({1}, 1000, /*num_swapped_blocks=*/0, /*swap_ns=*/800);
  EXPECT_EQ(rates_.Means().ns_per_swapped_block, std::nullopt);
}

TEST_F(MeasuredRatesTest, WhatChangesIsFollowed) {
  Observe({1}, 1000);
  for (int i = 0; i < 50; ++i) Observe({1}, 3000);
  EXPECT_NEAR(*rates_.Means().ns_per_decode_step, 3000, 50);
}

TEST_F(MeasuredRatesTest, OneOddStepIsSmoothed) {
  for (int i = 0; i < 50; ++i) Observe({1}, 1000);
  Observe({1}, 5000);
  EXPECT_LT(*rates_.Means().ns_per_decode_step, 1500);
}

}  // namespace
}  // namespace quire
