#include "scheduler/engine/sequence.h"

#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/memory/host_block_pool.h"
#include "scheduler/memory/swapped_slots.h"

namespace quire {
namespace {

// A prompt of five tokens, at most three more; blocks of two slots.
class SequenceTest : public testing::Test {
 protected:
  void Enter() { sequence_.Enter(&pool_, /*block_size=*/2, /*num_slots=*/6); }

  BlockPool pool_{8};
  Sequence sequence_{
      SequenceId(9), /*index=*/0, {11, 12, 13, 14, 15}, /*max_tokens=*/3};
};

TEST_F(SequenceTest, StartsParkedAndKnowsItsPrompt) {
  EXPECT_TRUE(sequence_.parked());
  EXPECT_EQ(sequence_.known(), 5u);
  EXPECT_EQ(sequence_.num_generated(), 0u);
  EXPECT_EQ(sequence_.planned(), 0u);
  EXPECT_EQ(sequence_.last_slots(), 7u);
}

TEST_F(SequenceTest, AChunkInsideThePromptDoesNotSample) {
  Enter();
  const quire::Run run = sequence_.PlanRows(3);
  EXPECT_EQ(run.position, 0u);
  EXPECT_EQ(run.end(), 3u);
  EXPECT_EQ(run.num_prompt_rows, 3u);
  EXPECT_FALSE(run.samples);
  EXPECT_EQ(sequence_.PlannableRows(), 2u);
}

TEST_F(SequenceTest, TheEndOfThePromptSamples) {
  Enter();
  sequence_.PlanRows(3);
  const quire::Run run = sequence_.PlanRows(2);
  EXPECT_EQ(run.position, 3u);
  EXPECT_TRUE(run.samples);
}

TEST_F(SequenceTest, ARowIsPlannedForATokenInFlight) {
  Enter();
  sequence_.PlanRows(5);
  EXPECT_EQ(sequence_.PlannableRows(), 1u);
  const quire::Run run = sequence_.PlanRows(1);
  EXPECT_EQ(run.position, 5u);
  EXPECT_EQ(run.num_prompt_rows, 0u);
  EXPECT_TRUE(run.samples);
}

TEST_F(SequenceTest, NothingIsPlannedBeyondMaxTokens) {
  Enter();
  sequence_.PlanRows(5);
  ASSERT_TRUE(sequence_.ReserveRows(2));
  sequence_.PlanRows(1);
  EXPECT_TRUE(sequence_.PlanRows(1).samples);  // The third and last token.
  EXPECT_EQ(sequence_.PlannableRows(), 0u);
}

TEST_F(SequenceTest, CommittedRowsFollowPlannedOnes) {
  Enter();
  const quire::Run first = sequence_.PlanRows(3);
  const quire::Run second = sequence_.PlanRows(2);
  sequence_.CommitRows(first);
  EXPECT_EQ(sequence_.committed(), 3u);
  sequence_.CommitRows(second);
  EXPECT_EQ(sequence_.committed(), 5u);
}

TEST_F(SequenceTest, DraftsFollowTheLastRow) {
  Enter();
  sequence_.CommitRows(sequence_.PlanRows(4));
  const quire::Run last = sequence_.PlanRows(1);
  EXPECT_EQ(sequence_.num_in_flight(), 1u);
  EXPECT_EQ(sequence_.PlannableDrafts(), 1u);  // The last token is not read.
  ASSERT_TRUE(sequence_.ReserveRows(2));
  const quire::Run run = sequence_.PlanRows(1, /*num_drafts=*/1);
  EXPECT_EQ(run.num_rows, 2u);
  EXPECT_EQ(run.known_end(), 6u);
  EXPECT_TRUE(run.samples);
  sequence_.CommitRows(last);
  sequence_.CommitRows(run, /*num_right_drafts=*/1);
  EXPECT_EQ(sequence_.committed(), 7u);
}

TEST_F(SequenceTest, WrongDraftsGiveTheirSlotsBack) {
  Enter();
  sequence_.CommitRows(sequence_.PlanRows(5));
  ASSERT_TRUE(sequence_.ReserveRows(2));
  const quire::Run run = sequence_.PlanRows(1, /*num_drafts=*/1);
  const uint32_t num_blocks = sequence_.num_blocks();
  sequence_.CommitRows(run, /*num_right_drafts=*/0);
  EXPECT_EQ(sequence_.committed(), 6u);
  EXPECT_EQ(sequence_.planned(), 6u);
  EXPECT_EQ(sequence_.num_blocks(), num_blocks);
  EXPECT_EQ(sequence_.PlannableRows(), 1u);
}

TEST_F(SequenceTest, RightDraftsAreCommitted) {
  Enter();
  sequence_.CommitRows(sequence_.PlanRows(5));
  ASSERT_TRUE(sequence_.ReserveRows(2));
  sequence_.CommitRows(sequence_.PlanRows(1, /*num_drafts=*/1),
                       /*num_right_drafts=*/1);
  EXPECT_EQ(sequence_.committed(), 7u);
  EXPECT_EQ(sequence_.PlannableRows(), 0u);  // max_tokens.
}

TEST_F(SequenceTest, WhoLeavesWithDraftsInFlightComesBackWithout) {
  Enter();
  sequence_.CommitRows(sequence_.PlanRows(5));
  ASSERT_TRUE(sequence_.ReserveRows(2));
  sequence_.PlanRows(1, /*num_drafts=*/1);
  sequence_.Leave();
  Enter();
  EXPECT_EQ(sequence_.PlannableRows(), 5u);
}

TEST_F(SequenceTest, LeavingKeepsTokensAndNothingElse) {
  Enter();
  sequence_.CommitRows(sequence_.PlanRows(5));
  sequence_.AppendToken(16);
  sequence_.Leave();
  EXPECT_EQ(pool_.num_free(), 8u);
  EXPECT_EQ(sequence_.known(), 6u);
  EXPECT_EQ(sequence_.committed(), 0u);
  EXPECT_EQ(sequence_.planned(), 0u);
}

TEST_F(SequenceTest, ASecondStayComputesEverythingAgain) {
  Enter();
  sequence_.PlanRows(5);
  sequence_.AppendToken(16);
  sequence_.Leave();
  Enter();
  EXPECT_EQ(sequence_.PlannableRows(), 6u);
  const quire::Run again = sequence_.PlanRows(6);
  EXPECT_EQ(again.position, 0u);
  EXPECT_TRUE(again.samples);
}

TEST_F(SequenceTest, ReserveFailsWhereThePoolIsEmpty) {
  Enter();
  BlockTable other(&pool_, 2);
  ASSERT_TRUE(other.Reserve(10));
  sequence_.PlanRows(5);
  EXPECT_TRUE(sequence_.ReserveRows(1));  // Reserved when it entered.
  EXPECT_FALSE(sequence_.ReserveRows(2));
}

// --- Forks

// --- Swapped

class SwappedSequenceTest : public SequenceTest {
 protected:
  // `num_slots` slots are swapped out; as many blocks are there for them.
  void Swap(uint32_t num_slots) {
    SwappedSlots swapped{.num_slots = num_slots};
    for (uint32_t i = 0; i < (num_slots + 1) / 2; ++i) {
      swapped.blocks.push_back(host_blocks_.Allocate());
    }
    sequence_.SetSwapped(std::move(swapped));
  }
  void EnterSwapped() {
    std::vector<BlockRef> blocks;
    for (uint32_t i = 0; i < (sequence_.num_returning_slots() + 1) / 2; ++i) {
      blocks.push_back(*pool_.Allocate());
    }
    sequence_.EnterSwapped(&pool_, /*block_size=*/2, std::move(blocks),
                           /*num_slots=*/6);
  }

  HostBlockPool host_blocks_{4};
};

TEST_F(SwappedSequenceTest, GoesOnWhereItLeftOff) {
  Swap(3);
  EXPECT_TRUE(sequence_.parked());
  EnterSwapped();
  EXPECT_EQ(sequence_.committed(), 3u);
  EXPECT_EQ(sequence_.planned(), 3u);
  EXPECT_EQ(sequence_.num_blocks(), 3u);
  EXPECT_EQ(sequence_.PlannableRows(), 2u);
  EXPECT_EQ(host_blocks_.num_used(), 0u);
}

TEST_F(SwappedSequenceTest, TheLastKnownTokensRowIsComputedInAnyCase) {
  Swap(5);
  EXPECT_EQ(sequence_.num_returning_slots(), 4u);
  EnterSwapped();
  EXPECT_EQ(sequence_.PlannableRows(), 1u);
}

TEST_F(SwappedSequenceTest, EnteringOtherwiseForgetsWhatWasSwapped) {
  Swap(3);
  Enter();
  EXPECT_EQ(sequence_.planned(), 0u);
  EXPECT_EQ(sequence_.swapped(), nullptr);
  EXPECT_EQ(host_blocks_.num_used(), 0u);
}

TEST_F(SwappedSequenceTest, ABranchOfASwappedOneIsSwappedToo) {
  Swap(3);
  Sequence branch(SequenceId(10), /*index=*/1, sequence_, /*token=*/16);
  sequence_.ForgetSwapped();
  EXPECT_EQ(branch.num_returning_slots(), 3u);
  EXPECT_EQ(host_blocks_.num_used(), 2u);
}

// --- Forks

class ForkedSequenceTest : public SequenceTest {
 protected:
  // Blocks of its own for the fifth and the sixth slot.
  void EnterBoth() {
    Enter();
    fork_.EnterAsFork(&sequence_, /*num_shared=*/4, &pool_, /*block_size=*/2,
                      /*num_slots=*/6);
  }
  Sequence fork_{SequenceId(10), /*index=*/1, {11, 12, 13, 14, 15}, 3};
};

TEST_F(ForkedSequenceTest, HoldsItsBlocksWhileItAwaitsItsParent) {
  EnterBoth();
  EXPECT_TRUE(fork_.awaiting());
  EXPECT_EQ(pool_.num_free(), 4u);
  EXPECT_EQ(fork_.PlannableRows(), 0u);
  sequence_.PlanRows(3);
  fork_.TryFork();
  EXPECT_TRUE(fork_.awaiting());
}

TEST_F(ForkedSequenceTest, GoesOnBehindWhatItShares) {
  EnterBoth();
  sequence_.PlanRows(5);
  fork_.TryFork();
  EXPECT_FALSE(fork_.awaiting());
  EXPECT_EQ(fork_.planned(), 4u);
  EXPECT_EQ(fork_.committed(), 4u);
  EXPECT_EQ(fork_.PlannableRows(), 1u);
  EXPECT_TRUE(fork_.ReserveRows(1));
  EXPECT_EQ(pool_.num_free(), 4u);
  const quire::Run run = fork_.PlanRows(1);
  EXPECT_EQ(run.position, 4u);
  EXPECT_TRUE(run.samples);
}

TEST_F(ForkedSequenceTest, LeavesFromAwaiting) {
  EnterBoth();
  fork_.Leave();
  EXPECT_TRUE(fork_.parked());
  EXPECT_FALSE(fork_.awaiting());
  EXPECT_EQ(fork_.parent(), nullptr);
}

TEST(SequenceDeathTest, RowsAreCommittedInOrder) {
  BlockPool pool(8);
  Sequence sequence(SequenceId(1), /*index=*/0, {1, 2, 3}, 4);
  sequence.Enter(&pool, 2, 4);
  sequence.PlanRows(2);
  const quire::Run later = sequence.PlanRows(1);
  EXPECT_DEATH(sequence.CommitRows(later), "committed_");
}

}  // namespace
}  // namespace quire
