#include "scheduler/engine/group.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::ElementsAre;

// Keeps the names of what passes.
class RecordingLink final : public GroupLink {
 public:
  void Dispatch(worker::v1::StepPlan& plan) override {
    dispatched.push_back(plan.step_id());
  }
  void Abandon(const std::string& reason) override { abandoned = reason; }

  std::vector<uint64_t> dispatched;
  std::string abandoned;
};

class GroupTest : public testing::Test {
 protected:
  void PlanStep() {
    worker::v1::StepPlan plan;
    group_.Enter(plan, {}, absl::UnixEpoch());
    EXPECT_EQ(plan.epoch(), 3u);
    group_.Dispatch(plan);
  }
  absl::Status Answer(uint32_t rank, uint64_t step) {
    worker::v1::StepResult result;
    result.set_step_id(step);
    return group_.Accept(Rank(rank), result);
  }
  std::string Complaint(uint32_t rank, uint64_t step) {
    return std::string(Answer(rank, step).message());
  }

  std::shared_ptr<RecordingLink> link_ = std::make_shared<RecordingLink>();
  Group group_{{.epoch = Epoch(3),
                .num_ranks = 2,
                .num_blocks = 4,
                .block_size = 16,
                .max_step_rows = 8},
               link_,
               /*shuffle_free_blocks_seed=*/0};
};

TEST_F(GroupTest, NumbersStepsFromOneWithoutGaps) {
  PlanStep();
  PlanStep();
  EXPECT_THAT(link_->dispatched, ElementsAre(1, 2));
}

TEST_F(GroupTest, TheOldestStepIsCompleteWhenAllRanksAnswered) {
  PlanStep();
  PlanStep();
  EXPECT_TRUE(Answer(0, 1).ok());
  EXPECT_TRUE(Answer(0, 2).ok());  // A rank may run ahead of another.
  EXPECT_FALSE(group_.oldest_complete());
  EXPECT_TRUE(Answer(1, 1).ok());
  EXPECT_TRUE(group_.oldest_complete());
  group_.PopOldest();
  EXPECT_FALSE(group_.oldest_complete());
  EXPECT_EQ(group_.in_flight().size(), 1u);
}

TEST_F(GroupTest, WhatAStepTookIsMeasuredWhenItLeavesFlight) {
  worker::v1::StepPlan plan;
  plan.mutable_swaps_out()->add_source(0);
  plan.mutable_swaps_in()->add_source(0);
  group_.Enter(plan, {}, absl::UnixEpoch());
  EXPECT_TRUE(Answer(0, 1).ok());
  worker::v1::StepResult slowest;
  slowest.set_step_id(1);
  slowest.mutable_timings()->set_swap_ns(600);
  EXPECT_TRUE(group_.Accept(Rank(1), slowest).ok());
  EXPECT_EQ(group_.rates().ns_per_swapped_block, std::nullopt);
  group_.PopOldest();
  EXPECT_EQ(group_.rates().ns_per_swapped_block, 300);
}

TEST_F(GroupTest, AnAnswerOutOfOrderIsAContradiction) {
  PlanStep();
  PlanStep();
  EXPECT_EQ(Complaint(0, 2), "rank 0, step 2: the answer to step 1 is due");
}

TEST_F(GroupTest, ASecondAnswerIsAContradiction) {
  PlanStep();
  ASSERT_TRUE(Answer(1, 1).ok());
  EXPECT_EQ(Complaint(1, 1), "rank 1, step 1: no answer is due");
}

TEST_F(GroupTest, AnUnknownRankIsAContradiction) {
  PlanStep();
  EXPECT_EQ(Complaint(2, 1), "rank 2, step 1: the group has 2 ranks");
}

TEST_F(GroupTest, AFailureNamesRankAndStep) {
  PlanStep();
  worker::v1::StepResult result;
  result.set_step_id(1);
  result.set_status_code(13);
  result.set_status_message("kernel failed");
  EXPECT_EQ(std::string(group_.Accept(Rank(1), result).message()),
            "rank 1, step 1: failed with code 13: kernel failed");
}

TEST_F(GroupTest, AbandonTellsTheLinkWhy) {
  group_.Abandon(absl::InternalError("nonsense"));
  EXPECT_EQ(link_->abandoned, "nonsense");
}

}  // namespace
}  // namespace quire
