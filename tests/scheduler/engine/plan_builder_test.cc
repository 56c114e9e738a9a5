#include "scheduler/engine/plan_builder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Blocks of two slots; a prompt of three tokens enters with room for four.
class PlanBuilderTest : public testing::Test {
 protected:
  PlanBuilderTest() { sequence_.Enter(&pool_, /*block_size=*/2, 4); }

  const worker::v1::StepPlan& PlanFirst() {
    sampling_.set_temperature(0.5f);
    builder_.AddRun(sequence_, sampling_, sequence_.PlanRows(3));
    return builder_.Finish().plan;
  }
  const worker::v1::StepPlan& PlanRow() {
    EXPECT_TRUE(sequence_.ReserveRows(1));
    builder_.AddRun(sequence_, sampling_, sequence_.PlanRows(1));
    return builder_.Finish().plan;
  }

  BlockPool pool_{8};
  HostBlockPool host_blocks_{8};
  Sequence sequence_{
      SequenceId(6), /*index=*/0, {21, 22, 23}, /*max_tokens=*/9};
  worker::v1::Sampling sampling_;
  PlanBuilder builder_;
};

TEST_F(PlanBuilderTest, ANewSequenceIsSentInFull) {
  const worker::v1::StepPlan& plan = PlanFirst();
  ASSERT_EQ(plan.new_sequences_size(), 1);
  const worker::v1::NewSequence& added = plan.new_sequences(0);
  EXPECT_EQ(added.sequence(), 6u);
  EXPECT_THAT(added.tokens(), ElementsAre(21, 22, 23));
  EXPECT_EQ(added.prompt_length(), 3u);
  EXPECT_THAT(added.blocks(), ElementsAre(0, 1));
  EXPECT_EQ(added.sampling().temperature(), 0.5f);
  EXPECT_THAT(plan.table_edits().sequence(), IsEmpty());
}

TEST_F(PlanBuilderTest, ARunNamesItsRows) {
  const worker::v1::Runs& runs = PlanFirst().runs();
  EXPECT_THAT(runs.sequence(), ElementsAre(6));
  EXPECT_THAT(runs.position(), ElementsAre(0));
  EXPECT_THAT(runs.slot(), ElementsAre(0));
  EXPECT_THAT(runs.num_rows(), ElementsAre(3));
  EXPECT_THAT(runs.samples(), ElementsAre(1));
  EXPECT_THAT(runs.prompt_logprobs(), ElementsAre(0));
}

TEST_F(PlanBuilderTest, AKnownSequenceIsOnlyItsRow) {
  PlanFirst();
  const worker::v1::StepPlan& plan = PlanRow();  // The fourth slot is there.
  EXPECT_THAT(plan.new_sequences(), IsEmpty());
  EXPECT_THAT(plan.table_edits().sequence(), IsEmpty());
  EXPECT_THAT(plan.runs().position(), ElementsAre(3));
}

TEST_F(PlanBuilderTest, ANewBlockIsOneEdit) {
  PlanFirst();
  PlanRow();
  const worker::v1::TableEdits& edits = PlanRow().table_edits();
  EXPECT_THAT(edits.sequence(), ElementsAre(6));
  EXPECT_THAT(edits.keep(), ElementsAre(2));
  EXPECT_THAT(edits.num_appended(), ElementsAre(1));
  EXPECT_THAT(edits.appended(), ElementsAre(2));
}

TEST_F(PlanBuilderTest, AReleaseGoesOutOnceWithTheNextFinishedPlan) {
  PlanFirst();
  builder_.Release(sequence_);
  EXPECT_THAT(PlanRow().released(), ElementsAre(6));
  EXPECT_THAT(PlanRow().released(), IsEmpty());
}

TEST_F(PlanBuilderTest, WhatTheRanksWereNotToldOfIsNotReleased) {
  builder_.Release(sequence_);
  EXPECT_THAT(PlanFirst().released(), IsEmpty());
}

TEST_F(PlanBuilderTest, AForkIsToldAsACopyOfItsParentAndWhatDiffers) {
  PlanFirst();
  Sequence child{SequenceId(7), /*index=*/2, {21, 22, 23}, /*max_tokens=*/9};
  child.AppendToken(24);
  child.EnterAsFork(&sequence_, /*num_shared=*/3, &pool_, /*block_size=*/2, 5);
  child.TryFork();
  sampling_.set_seed(100);
  builder_.AddFork(child, sequence_, sampling_);
  builder_.AddRun(child, sampling_, child.PlanRows(1));
  const worker::v1::StepPlan& plan = builder_.Finish().plan;
  ASSERT_EQ(plan.forks_size(), 1);
  EXPECT_EQ(plan.forks(0).parent(), 6u);
  EXPECT_EQ(plan.forks(0).child(), 7u);
  EXPECT_EQ(plan.forks(0).num_tokens(), 3u);
  EXPECT_THAT(plan.forks(0).tokens(), ElementsAre(24));
  EXPECT_EQ(plan.forks(0).seed(), 102u);
  EXPECT_THAT(plan.new_sequences(), IsEmpty());
  EXPECT_THAT(plan.table_edits().keep(), ElementsAre(1));
  EXPECT_THAT(plan.table_edits().appended(), ElementsAre(2, 3));
  EXPECT_THAT(plan.copies().source(), ElementsAre(1));
  EXPECT_THAT(plan.copies().destination(), ElementsAre(2));
  EXPECT_THAT(plan.copies().num_slots(), ElementsAre(1));
}

TEST_F(PlanBuilderTest, SwapsGoOutOnceWithTheNextFinishedPlan) {
  builder_.swaps().SwapOut(BlockId(5), host_blocks_);
  EXPECT_THAT(PlanFirst().swaps_out().source(), ElementsAre(5));
  EXPECT_THAT(PlanRow().swaps_out().source(), IsEmpty());
}

TEST_F(PlanBuilderTest, ANewEpochHasNothingToReleaseOrSwap) {
  PlanFirst();
  builder_.Release(sequence_);
  builder_.swaps().SwapOut(BlockId(0), host_blocks_);
  builder_.StartOver();
  const worker::v1::StepPlan& plan = PlanRow();
  EXPECT_THAT(plan.released(), IsEmpty());
  EXPECT_THAT(plan.swaps_out().source(), IsEmpty());
}

TEST_F(PlanBuilderTest, RunsAreTakenBeside) {
  builder_.AddRun(sequence_, sampling_, sequence_.PlanRows(3));
  EXPECT_EQ(builder_.Finish().runs.size(), 1u);
  EXPECT_THAT(builder_.runs(), IsEmpty());
}

}  // namespace
}  // namespace quire
