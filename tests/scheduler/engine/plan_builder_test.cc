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
    builder_.Begin();
    worker::v1::Sampling sampling;
    sampling.set_temperature(0.5f);
    builder_.AddSequence(sequence_, sampling);
    builder_.AddRun(sequence_, sequence_.PlanRows(3));
    return builder_.Finish();
  }
  const worker::v1::StepPlan& PlanRow() {
    builder_.Begin();
    EXPECT_TRUE(sequence_.Reserve(1));
    builder_.AddRun(sequence_, sequence_.PlanRows(1));
    return builder_.Finish();
  }

  BlockPool pool_{8};
  Sequence sequence_{SequenceId(6), {21, 22, 23}, /*max_tokens=*/9};
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
  builder_.Release(SequenceId(4));
  builder_.Begin();  // Dropped: nothing to compute.
  EXPECT_THAT(PlanRow().released(), ElementsAre(4));
  EXPECT_THAT(PlanRow().released(), IsEmpty());
}

TEST_F(PlanBuilderTest, ANewEpochHasNothingToRelease) {
  builder_.Release(SequenceId(4));
  builder_.ForgetReleases();
  EXPECT_THAT(PlanFirst().released(), IsEmpty());
}

TEST_F(PlanBuilderTest, RunsAreTakenBeside) {
  PlanFirst();
  EXPECT_EQ(builder_.TakeRuns().size(), 1u);
  EXPECT_THAT(builder_.runs(), IsEmpty());
}

}  // namespace
}  // namespace quire
