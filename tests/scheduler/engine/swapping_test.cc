#include "scheduler/engine/swapping.h"

#include <algorithm>
#include <cstdint>

#include "gtest/gtest.h"
#include "scheduler/engine/scheduler.h"
#include "tests/scheduler/engine/scheduler_fixture.h"

namespace quire {
namespace {

// Blocks of four slots, five of them: two requests of 7 tokens cannot both get
// to their ends.
class SwappingTest : public SchedulerFixture {
 protected:
  SwappingTest() {
    options_.preemption = PreemptionMode::kSwap;
    shape_.num_blocks = 5;
    shape_.num_host_blocks = 16;
  }

  Client& SubmitLong(uint64_t seed, uint32_t n = 1) {
    return Submit({.prompt = MakePrompt(seed, 7), .max_tokens = 12, .n = n});
  }
  void RunUntilPreempted() {
    while (preemptions() == 0 && !HasFailure()) {
      if (!PlanStep().has_value()) CommitStep();
    }
  }
  void ExpectAllServed() {
    RunToEnd();
    for (Client& client : clients_) ExpectServed(client);
    ExpectIdle();
  }
  const RequestState& Waiting() { return **scheduler_->waiting().begin(); }
  uint32_t host_used() const {
    return scheduler_->group()->host_blocks().num_used();
  }
  double swaps() const {
    return metrics_->Preemptions(Preemption::kSwap)->Value();
  }
  double swapped_out() const { return metrics_->blocks_swapped_out->Value(); }
  double swapped_in() const { return metrics_->blocks_swapped_in->Value(); }
  double recomputed() const { return metrics_->recomputed_tokens->Value(); }
};

TEST_F(SwappingTest, AVictimGoesOnWhereItLeftOff) {
  Start();
  SubmitLong(1);
  SubmitLong(2);
  RunUntilPreempted();
  EXPECT_TRUE(Waiting().swapped());
  EXPECT_EQ(host_used(), swapped_out());
  ExpectAllServed();
  EXPECT_EQ(recomputed(), 0);
  EXPECT_EQ(puppet_->num_swaps(), swapped_out() + swapped_in());
  EXPECT_GT(swapped_in(), 0);
}

TEST_F(SwappingTest, RowsInFlightAreSwappedToo) {
  options_.pipeline_depth = 2;
  shape_.num_blocks = 6;
  Start();
  SubmitLong(1);
  SubmitLong(2);
  RunUntilPreempted();
  // The victim has a row in the step before the one that swaps it out.
  EXPECT_EQ(in_flight_.front().runs().sequence_size(), 2);
  EXPECT_EQ(Waiting().leader().swapped()->num_slots,
            in_flight_.front().runs().position(1) + 1);
  ExpectAllServed();
  EXPECT_EQ(recomputed(), 0);
}

TEST_F(SwappingTest, WhatIsStillFoundIsNotSwappedIn) {
  Start();
  Client& first = SubmitLong(1);
  SubmitLong(2);
  RunUntilPreempted();
  CommitStep();
  scheduler_->Cancel(first.id, now_);
  // Of its two blocks the first is cached, the second was evicted.
  EXPECT_EQ(host_used(), 2u);
  ASSERT_TRUE(PlanStep().has_value());
  EXPECT_EQ(swapped_in(), 1);
  EXPECT_EQ(host_used(), 0u);
  CommitStep();
  RunToEnd();
  ExpectServed(clients_[1]);
  EXPECT_EQ(recomputed(), 0);
}

TEST_F(SwappingTest, WithoutTheCacheAllComesBack) {
  options_.prefix_cache = false;
  Start();
  SubmitLong(1);
  SubmitLong(2);
  ExpectAllServed();
  EXPECT_EQ(swapped_in(), swapped_out());
  EXPECT_EQ(recomputed(), 0);
}

TEST_F(SwappingTest, BlocksThatCameBackCanBeFoundAgain) {
  shape_.num_blocks = 6;
  Start();
  SubmitLong(1);
  SubmitLong(2);
  ExpectAllServed();
  const double hits = metrics_->prefix_hits->Value();
  SubmitLong(2);
  ExpectAllServed();
  EXPECT_EQ(metrics_->prefix_hits->Value(), hits + 4);
}

TEST_F(SwappingTest, ACancelledRequestGivesItsHostBlocksBack) {
  Start();
  SubmitLong(1);
  Client& second = SubmitLong(2);
  RunUntilPreempted();
  EXPECT_GT(host_used(), 0u);
  scheduler_->Cancel(second.id, now_);
  EXPECT_EQ(host_used(), 0u);
  CommitStep();
  RunToEnd();
  ExpectServed(clients_[0]);
}

TEST_F(SwappingTest, AnEpochsEndForgetsWhatWasSwapped) {
  Start();
  SubmitLong(1);
  SubmitLong(2);
  RunUntilPreempted();
  Restart();
  EXPECT_EQ(host_used(), 0u);
  EXPECT_FALSE(Waiting().swapped());
  ExpectAllServed();
  EXPECT_GT(recomputed(), 0);
}

TEST_F(SwappingTest, SamplesAreSwappedTogetherAndShareAgain) {
  shape_.num_blocks = 18;
  options_.prefix_cache = false;
  Start();
  Client& first = Submit({.prompt = MakePrompt(1, 7), .max_tokens = 60});
  SubmitLong(2, /*n=*/4);
  RunUntilPreempted();
  uint32_t num_entries = 0;
  for (const auto& sequence : Waiting().sequences()) {
    num_entries += sequence->swapped()->blocks.size();
  }
  // The prompt's full block is one, however many hold it.
  EXPECT_EQ(host_used(), num_entries - 3);
  CommitStep();
  scheduler_->Cancel(first.id, now_);
  ASSERT_TRUE(PlanStep().has_value());
  EXPECT_EQ(scheduler_->group()->pool().num_saved(), 3u);
  EXPECT_EQ(swapped_in(), swapped_out());
  CommitStep();
  RunToEnd();
  ExpectServed(clients_[1]);
  EXPECT_EQ(recomputed(), 0);
}

TEST_F(SwappingTest, WithoutRoomAVictimIsComputedAgain) {
  shape_.num_host_blocks = 1;
  Start();
  SubmitLong(1);
  SubmitLong(2);
  ExpectAllServed();
  EXPECT_GT(preemptions(), 0);
  EXPECT_EQ(swaps(), 0);
  EXPECT_EQ(swapped_out(), 0);
}

// A puppet takes as long for a row as for a block, each way.
TEST_F(SwappingTest, SwappingIsTriedAndGivenUpWhereItIsDearer) {
  options_.preemption = PreemptionMode::kAuto;
  shape_.num_blocks = 20;
  shape_.num_host_blocks = 64;
  shape_.block_size = 1;
  Start();
  for (int i = 0; i < 6; ++i) SubmitLong(i);
  ExpectAllServed();
  EXPECT_GT(swaps(), 0);
  EXPECT_GT(preemptions(), 2 * swaps());
}

// --- How often

class PreemptionLimitTest : public SwappingTest,
                            public testing::WithParamInterface<PreemptionMode> {
};

// More urgent requests come one after the other, squeeze it out and leave.
TEST_P(PreemptionLimitTest, NobodyIsPreemptedMoreThanFourTimes) {
  options_.preemption = GetParam();
  shape_.num_blocks = 40;
  shape_.num_host_blocks = 40;
  Start();
  Client& patient = Submit({.prompt = MakePrompt(1, 6), .max_tokens = 154});
  PlanStep();
  const RequestState& state = *scheduler_->running()[0];
  for (uint32_t round = 1; round <= kMaxPreemptions; ++round) {
    CommitStep();
    Client& urgent = Submit({.prompt = MakePrompt(100 + round, 6),
                             .max_tokens = 48,
                             .priority = Priority::kHigh,
                             .n = 3});
    while (state.running() && !HasFailure()) PlanStep(), CommitStep();
    EXPECT_EQ(state.num_preemptions(), round);
    scheduler_->Cancel(urgent.id, now_);
    PlanStep();
    EXPECT_TRUE(state.running());
  }
  // Now it holds its blocks to the end: whoever comes waits.
  EXPECT_EQ(num_available(), 0u);
  Client& urgent = Submit({.priority = Priority::kHigh});
  CommitStep();
  RunToEnd();
  ExpectServed(patient);
  ExpectServed(urgent);
  ExpectIdle();
}

INSTANTIATE_TEST_SUITE_P(Modes, PreemptionLimitTest,
                         testing::Values(PreemptionMode::kAuto,
                                         PreemptionMode::kRecompute,
                                         PreemptionMode::kSwap));

}  // namespace
}  // namespace quire
