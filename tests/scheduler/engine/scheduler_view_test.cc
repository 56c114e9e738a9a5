#include "scheduler/engine/scheduler_view.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/engine/scheduler_fixture.h"

namespace quire {
namespace {

// Two blocks hold a prompt of six tokens, all written; another request waits.
class SchedulerViewTest : public SchedulerFixture {
 protected:
  void SetUp() override {
    options_.max_running_sequences = 1;
    Start();
    Submit({.prompt = MakePrompt(1, 6), .max_tokens = 5});
    Submit({.prompt = MakePrompt(2, 3),
            .max_tokens = 5,
            .priority = Priority::kLow});
    PlanStep();
    CommitStep();
  }
};

TEST_F(SchedulerViewTest, CountsBlocksAndWrittenSlots) {
  const BlockCounts counts = CountBlocks(*scheduler_);
  EXPECT_EQ(counts.total, 16u);
  EXPECT_EQ(counts.active, 2u);
  EXPECT_EQ(counts.free, 14u);
  EXPECT_EQ(counts.block_size, 4u);
  EXPECT_EQ(counts.used_slots, 6u);
  EXPECT_EQ(counts.bytes_per_block, 100u);
}

TEST_F(SchedulerViewTest, DescribesRunningThenWaitingRequests) {
  now_ += absl::Seconds(3);
  const EngineSnapshot snapshot =
      TakeSnapshot(*scheduler_, *metrics_, now_, /*with_blocks=*/false);
  EXPECT_EQ(snapshot.num_running, 1u);
  EXPECT_EQ(snapshot.num_waiting, 1u);
  EXPECT_EQ(snapshot.waiting_tokens, 3u);
  EXPECT_EQ(snapshot.num_steps, 1u);
  EXPECT_EQ(snapshot.prompt_tokens, 6u);
  EXPECT_EQ(snapshot.generated_tokens, 1u);
  ASSERT_EQ(snapshot.requests.size(), 2u);
  EXPECT_TRUE(snapshot.requests[0].running);
  EXPECT_EQ(snapshot.requests[0].num_blocks, 2u);
  EXPECT_EQ(snapshot.requests[0].generated_tokens, 1u);
  EXPECT_EQ(snapshot.requests[0].age, absl::Seconds(3));
  EXPECT_FALSE(snapshot.requests[1].running);
  EXPECT_EQ(snapshot.requests[1].priority, Priority::kLow);
  EXPECT_TRUE(snapshot.block_states.empty());
}

// The beams of a search share its last block before each has its own.
TEST_F(SchedulerViewTest, CountsASharedSlotOnce) {
  scheduler_->CloseAll(absl::CancelledError(), now_);
  options_.max_running_sequences = 8;
  Start();
  Submit(
      {.prompt = MakePrompt(7, 6), .max_tokens = 5, .n = 1, .beam_width = 3});
  PlanStep();
  CommitStep();
  ASSERT_GT(scheduler_->group()->pool().num_saved(), 2u);
  EXPECT_EQ(CountBlocks(*scheduler_).used_slots, 6u);
}

TEST_F(SchedulerViewTest, ShowsEveryBlockAndItsHolder) {
  const std::vector<BlockSnapshot> blocks =
      TakeSnapshot(*scheduler_, *metrics_, now_, /*with_blocks=*/true)
          .block_states;
  ASSERT_EQ(blocks.size(), 16u);
  EXPECT_EQ(blocks[0].state, BlockState::kActive);
  EXPECT_EQ(blocks[0].used_slots, 4u);
  EXPECT_EQ(blocks[0].request, 0);
  EXPECT_EQ(blocks[1].used_slots, 2u);
  EXPECT_EQ(blocks[2].state, BlockState::kFree);
  EXPECT_EQ(blocks[2].request, -1);
}

TEST_F(SchedulerViewTest, GaugesFollow) {
  UpdateGauges(*scheduler_, *metrics_);
  EXPECT_EQ(metrics_->active_blocks->Value(), 2);
  EXPECT_EQ(metrics_->free_blocks->Value(), 14);
  EXPECT_EQ(metrics_->block_utilization->Value(), 2.0 / 16);
  EXPECT_EQ(metrics_->slot_utilization->Value(), 6.0 / 8);
  EXPECT_EQ(metrics_->running_requests->Value(), 1);
  EXPECT_EQ(metrics_->waiting_requests->Value(), 1);
  EXPECT_EQ(metrics_->waiting_tokens->Value(), 3);
}

TEST_F(SchedulerViewTest, BetweenEpochsThereAreNoBlocks) {
  scheduler_->EndEpoch();
  EXPECT_EQ(CountBlocks(*scheduler_).total, 0u);
  UpdateGauges(*scheduler_, *metrics_);
  EXPECT_EQ(metrics_->block_utilization->Value(), 0);
  EXPECT_TRUE(
      TakeSnapshot(*scheduler_, *metrics_, now_, true).block_states.empty());
}

}  // namespace
}  // namespace quire
