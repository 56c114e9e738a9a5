#include "worker/executor/batch_builder.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/allocation_meter.h"
#include "tests/testing/plan_writer.h"

namespace quire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::NewSequenceOf;
using testing::PlanWriter;
using testing::RunOf;
using worker::v1::NewSequence;
using worker::v1::Runs;

// Two sequences, blocks of 4 slots: A has six prompt tokens and two blocks, B
// three prompt tokens, two generated ones and two blocks.
constexpr uint64_t kA = 1;
constexpr uint64_t kB = 2;

class BatchBuilderTest : public ::testing::Test {
 protected:
  BatchBuilderTest() {
    NewSequence b = NewSequenceOf(kB, {20, 21, 22, 23, 24}, {0, 3});
    b.set_prompt_length(3);
    EXPECT_TRUE(
        store_
            .Apply(PlanWriter(1)
                       .Add(NewSequenceOf(kA, {10, 11, 12, 13, 14, 15}, {7, 5}))
                       .Add(b)
                       .plan())
            .ok());
  }

  // Whatever is before a run is written.
  absl::Status Build(const Runs& runs) {
    for (uint32_t i = 0; i < 8; ++i) written_.Set(BlockId(i), 4);
    return BuildOnWritten(runs);
  }
  absl::Status BuildOnWritten(const Runs& runs) {
    step_ = step_.Next();
    return builder_.Build(step_, runs, &store_, &written_);
  }

  void Build(const std::vector<RunOf>& runs) {
    const absl::Status status = Build(RunsOf(runs));
    ASSERT_TRUE(status.ok()) << status;
  }

  std::string Refusal(const Runs& runs) {
    const absl::Status status = Build(runs);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  }
  std::string Refusal(const std::vector<RunOf>& runs) {
    return Refusal(RunsOf(runs));
  }

  static Runs RunsOf(const std::vector<RunOf>& runs) {
    PlanWriter plan(1);
    for (const RunOf& run : runs) plan.Run(run);
    return plan.plan().runs();
  }

  std::vector<uint32_t> Blocks() {
    std::vector<uint32_t> blocks;
    for (const BlockId b : builder_.batch().blocks) blocks.push_back(b.value());
    return blocks;
  }

  SequenceStore store_{
      {.vocabulary_size = 100, .context_length = 8, .num_blocks = 8}};
  BatchBuilder builder_{{.block_size = 4,
                         .num_blocks = 8,
                         .max_rows = 9,
                         .context_length = 8,
                         .vocabulary_size = 100}};
  WrittenSlots written_{/*block_size=*/4, /*num_blocks=*/8};
  StepId step_;
};

TEST_F(BatchBuilderTest, RunsBecomeRowsWithTheirBlockTables) {
  Build({{.sequence = kA, .slot = 1, .num_rows = 3},
         {.sequence = kB, .slot = 4, .num_rows = 1}});
  const Batch& batch = builder_.batch();
  EXPECT_THAT(batch.tokens, ElementsAre(11, 12, 13, 24));
  EXPECT_THAT(batch.positions, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(batch.slots, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(batch.run_rows, ElementsAre(0, 3, 4));
  // A's second block is not reached.
  EXPECT_THAT(Blocks(), ElementsAre(7, 0, 3));
  EXPECT_THAT(batch.run_blocks, ElementsAre(0, 1, 3));
  EXPECT_THAT(batch.logit_rows, IsEmpty());
}

TEST_F(BatchBuilderTest, SlotAndPositionAreTwoNumbers) {
  Runs runs = RunsOf({{.sequence = kA, .slot = 5, .num_rows = 2}});
  runs.set_position(0, 2);
  ASSERT_TRUE(Build(runs).ok());
  EXPECT_THAT(builder_.batch().tokens, ElementsAre(12, 13));
  EXPECT_THAT(builder_.batch().positions, ElementsAre(2, 3));
  EXPECT_THAT(builder_.batch().slots, ElementsAre(5, 6));
  EXPECT_THAT(Blocks(), ElementsAre(7, 5));
}

TEST_F(BatchBuilderTest, SamplingRunWantsTheLogitsOfItsLastRow) {
  Build({{.sequence = kA, .slot = 4, .num_rows = 2, .samples = true},
         {.sequence = kB, .slot = 0, .num_rows = 5, .samples = true}});
  EXPECT_THAT(builder_.batch().logit_rows, ElementsAre(1, 6));
  ASSERT_EQ(builder_.logit_rows().size(), 2u);
  EXPECT_EQ(builder_.logit_rows()[0].sequence->id, SequenceId(kA));
  EXPECT_EQ(builder_.logit_rows()[0].position, 6u);
  EXPECT_TRUE(builder_.logit_rows()[0].is_sampled);
  EXPECT_EQ(builder_.logit_rows()[1].position, 5u);
}

TEST_F(BatchBuilderTest, PromptIsScoredWhereTheNextTokenIsPartOfIt) {
  // B's prompt ends at position 3: rows 0 and 1 score positions 1 and 2.
  Build({{.sequence = kB,
          .num_rows = 5,
          .samples = true,
          .prompt_logprobs = true}});
  EXPECT_THAT(builder_.batch().logit_rows, ElementsAre(0, 1, 4));
  EXPECT_EQ(builder_.logit_rows()[0].position, 1u);
  EXPECT_FALSE(builder_.logit_rows()[0].is_sampled);
  EXPECT_EQ(builder_.logit_rows()[1].position, 2u);
  EXPECT_TRUE(builder_.logit_rows()[2].is_sampled);
}

TEST_F(BatchBuilderTest, ChunkOfAPromptScoresTheTokenAfterIt) {
  Build({{.sequence = kA, .slot = 2, .num_rows = 2, .prompt_logprobs = true}});
  EXPECT_THAT(builder_.batch().logit_rows, ElementsAre(0, 1));
  EXPECT_EQ(builder_.logit_rows()[1].position, 4u);
}

TEST_F(BatchBuilderTest, NothingIsScoredBeyondThePrompt) {
  Build({{.sequence = kB, .slot = 2, .num_rows = 3, .prompt_logprobs = true}});
  EXPECT_THAT(builder_.batch().logit_rows, IsEmpty());
}

TEST_F(BatchBuilderTest, NextStepStartsAfresh) {
  Build({{.sequence = kA, .num_rows = 6, .samples = true}});
  Build({{.sequence = kA, .slot = 5, .samples = true}});
  EXPECT_THAT(builder_.batch().tokens, ElementsAre(15));
  EXPECT_THAT(builder_.batch().logit_rows, ElementsAre(0));
}

TEST_F(BatchBuilderTest, OnceGrownNothingIsAllocated) {
  const Runs runs =
      RunsOf({{.sequence = kA, .num_rows = 6, .samples = true},
              {.sequence = kB, .num_rows = 3, .prompt_logprobs = true}});
  ASSERT_TRUE(Build(runs).ok());
  const testing::AllocationMeter meter;
  ASSERT_TRUE(Build(runs).ok());
  EXPECT_EQ(meter.largest_bytes(), 0u);
}

TEST_F(BatchBuilderTest, UnknownAndDoubleSequencesAreRefused) {
  EXPECT_EQ(Refusal({{.sequence = 9}}),
            "sequence 9: has rows, but is not held");
  EXPECT_EQ(Refusal({{.sequence = kA}, {.sequence = kB}, {.sequence = kA}}),
            "sequence 1: has two runs");
}

TEST_F(BatchBuilderTest, RowsBeyondTheKnownTokensAreRefused) {
  EXPECT_EQ(
      Refusal({{.sequence = kA, .slot = 4, .num_rows = 3}}),
      "sequence 1: has rows up to position 7, knows 6 tokens of a context "
      "of 8");
  EXPECT_EQ(Refusal({{.sequence = kA, .slot = ~0u, .num_rows = 1}}),
            "sequence 1: has rows up to position 4294967296, knows 6 tokens of "
            "a context of 8");
  EXPECT_EQ(Refusal({{.sequence = kA, .num_rows = 0}}),
            "sequence 1: has a run of no rows");
}

TEST_F(BatchBuilderTest, RowsBeyondTheContextAreRefused) {
  StoredSequence* b = store_.Find(SequenceId(kB));
  for (int i = 0; i < 4; ++i) b->history.Append(1);
  EXPECT_EQ(
      Refusal({{.sequence = kB, .slot = 8}}),
      "sequence 2: has rows up to position 9, knows 9 tokens of a context "
      "of 8");
}

TEST_F(BatchBuilderTest, SlotsBeyondTheBlockTableAreRefused) {
  Runs runs = RunsOf({{.sequence = kA, .num_rows = 2}});
  runs.set_slot(0, 7);
  EXPECT_EQ(Refusal(runs), "sequence 1: writes up to slot 9, its table has 8");
  runs.set_slot(0, ~0u);
  EXPECT_EQ(Refusal(runs),
            "sequence 1: writes up to slot 4294967297, its table has 8");
}

TEST_F(BatchBuilderTest, RunBehindSlotsThatWereNotWrittenIsRefused) {
  ASSERT_TRUE(BuildOnWritten(RunsOf({{.sequence = kA, .num_rows = 3}})).ok());
  EXPECT_EQ(BuildOnWritten(RunsOf({{.sequence = kA, .slot = 4}})),
            absl::InvalidArgumentError(
                "sequence 1: writes from slot 4, only the first 3 slots of its "
                "table are written"));
  EXPECT_TRUE(BuildOnWritten(RunsOf({{.sequence = kA, .slot = 3}})).ok());
  EXPECT_TRUE(BuildOnWritten(RunsOf({{.sequence = kA, .slot = 4}})).ok());
}

TEST_F(BatchBuilderTest, WhatASharedBlockHoldsMayBeReadByAll) {
  ASSERT_TRUE(BuildOnWritten(RunsOf({{.sequence = kA, .num_rows = 4}})).ok());
  ASSERT_TRUE(store_.Apply(PlanWriter(2).Edit(kB, 0, {7, 3}).plan()).ok());
  EXPECT_TRUE(BuildOnWritten(RunsOf({{.sequence = kB, .slot = 4}})).ok());
}

TEST_F(BatchBuilderTest, BlockThatIsWrittenAnewHoldsNothingOfItsFormerOwner) {
  ASSERT_TRUE(BuildOnWritten(RunsOf({{.sequence = kA, .num_rows = 4}})).ok());
  ASSERT_TRUE(store_.Apply(PlanWriter(2).Edit(kB, 0, {7, 3}).plan()).ok());
  ASSERT_TRUE(BuildOnWritten(RunsOf({{.sequence = kB, .num_rows = 1}})).ok());
  EXPECT_EQ(BuildOnWritten(RunsOf({{.sequence = kB, .slot = 2}})),
            absl::InvalidArgumentError(
                "sequence 2: writes from slot 2, only the first 1 slots of its "
                "table are written"));
}

TEST_F(BatchBuilderTest, FlagsAreZeroOrOne) {
  Runs runs = RunsOf({{.sequence = kA, .num_rows = 6}});
  runs.set_samples(0, 7);
  EXPECT_EQ(Refusal(runs), "sequence 1: runs.samples is 7, must be 0 or 1");
  runs.set_samples(0, 1);
  runs.set_prompt_logprobs(0, 2);
  EXPECT_EQ(Refusal(runs),
            "sequence 1: runs.prompt_logprobs is 2, must be 0 or 1");
}

TEST_F(BatchBuilderTest, SampledTokenHasAPlaceOfItsOwn) {
  EXPECT_EQ(Refusal({{.sequence = kA, .num_rows = 4, .samples = true}}),
            "sequence 1: samples position 4, but knows 6 tokens");
}

TEST_F(BatchBuilderTest, TwoWritersOfOneBlockAreRefused) {
  ASSERT_TRUE(store_.Apply(PlanWriter(2).Edit(kB, 0, {7, 3}).plan()).ok());
  EXPECT_EQ(Refusal({{.sequence = kA, .num_rows = 2},
                     {.sequence = kB, .slot = 2, .num_rows = 2}}),
            "sequence 2: writes to block 7, which this step writes already");
  // Reading it is fine.
  Build({{.sequence = kA, .slot = 4, .num_rows = 2},
         {.sequence = kB, .slot = 4, .num_rows = 1}});
}

TEST_F(BatchBuilderTest, WriterOfAFullBlockThatAnotherReadsIsRefused) {
  ASSERT_TRUE(store_.Apply(PlanWriter(2).Edit(kB, 0, {7, 3}).plan()).ok());
  EXPECT_EQ(Refusal({{.sequence = kB, .slot = 4},
                     {.sequence = kA, .slot = 3, .num_rows = 1}}),
            "sequence 1: writes to block 7, which another sequence of this "
            "step reads");
}

TEST_F(BatchBuilderTest, BlockMayBeReadByTheStepThatFillsIt) {
  ASSERT_TRUE(BuildOnWritten(RunsOf({{.sequence = kA, .num_rows = 2}})).ok());
  ASSERT_TRUE(store_.Apply(PlanWriter(2).Edit(kB, 0, {7, 3}).plan()).ok());
  EXPECT_TRUE(BuildOnWritten(RunsOf({{.sequence = kA, .slot = 2, .num_rows = 2},
                                     {.sequence = kB, .slot = 4}}))
                  .ok());
}

TEST_F(BatchBuilderTest, ChildThatStartsWithinABlockNeedsOneOfItsOwn) {
  ASSERT_TRUE(BuildOnWritten(RunsOf({{.sequence = kA, .num_rows = 5}})).ok());
  ASSERT_TRUE(store_
                  .Apply(PlanWriter(2)
                             .Fork({.parent = kA, .child = 3, .num_tokens = 6})
                             .plan())
                  .ok());
  const Runs runs =
      RunsOf({{.sequence = kA, .slot = 5}, {.sequence = 3, .slot = 5}});
  EXPECT_EQ(BuildOnWritten(runs),
            absl::InvalidArgumentError("sequence 3: writes to block 5, which "
                                       "this step writes already"));
  ASSERT_TRUE(store_.Apply(PlanWriter(3).Edit(3, 1, {6}).plan()).ok());
  EXPECT_EQ(BuildOnWritten(runs),
            absl::InvalidArgumentError("sequence 3: writes from slot 5, only "
                                       "the first 4 slots of its table are "
                                       "written"));
  written_.Set(BlockId(6), 1);  // As a copy does.
  EXPECT_TRUE(BuildOnWritten(runs).ok());
}

TEST_F(BatchBuilderTest, MoreRowsThanAgreedAreRefused) {
  EXPECT_EQ(Refusal({{.sequence = kA, .num_rows = 6},
                     {.sequence = kB, .num_rows = 4}}),
            "sequence 2: brings the step to 10 rows, at most 9 are agreed on");
  EXPECT_EQ(Refusal({{.sequence = kA, .num_rows = ~0u}}),
            "sequence 1: brings the step to 4294967295 rows, at most 9 are "
            "agreed on");
}

TEST_F(BatchBuilderTest, UnevenArraysAreRefused) {
  Runs runs = RunsOf({{.sequence = kA}});
  runs.add_samples(1);
  EXPECT_EQ(Refusal(runs), "an array of runs has 2 entries, sequence has 1");
}

TEST_F(BatchBuilderTest, DraftsAreReadBehindTheKnownTokensAndEachSamples) {
  Build({{.sequence = kA,
          .slot = 4,
          .num_rows = 2,
          .samples = true,
          .drafts = {30, 31}},
         {.sequence = kB, .slot = 4, .samples = true}});
  EXPECT_THAT(builder_.batch().tokens, ElementsAre(14, 15, 30, 31, 24));
  EXPECT_THAT(builder_.batch().slots, ElementsAre(4, 5, 6, 7, 4));
  EXPECT_THAT(builder_.batch().logit_rows, ElementsAre(1, 2, 3, 4));
  std::vector<uint32_t> positions;
  for (const LogitRow& row : builder_.logit_rows()) {
    positions.push_back(row.position);
  }
  EXPECT_THAT(positions, ElementsAre(6, 7, 8, 5));
  EXPECT_EQ(builder_.logit_rows()[0].draft, std::nullopt);
  EXPECT_EQ(builder_.logit_rows()[2].draft, 31);
}

TEST_F(BatchBuilderTest, ADraftCountsWhereItAndAllBeforeItWereSampled) {
  const LogitRow known = {.is_sampled = true};
  const auto draft = [](Token token) {
    return LogitRow{.is_sampled = true, .draft = token};
  };
  DraftCheck check;
  EXPECT_TRUE(check.Counts(known, 5));
  EXPECT_TRUE(check.Counts(draft(5), 6));
  EXPECT_FALSE(check.Counts(draft(7), 8));
  EXPECT_FALSE(check.Counts(draft(8), 9));
  EXPECT_TRUE(check.Counts(known, 3));
  EXPECT_FALSE(check.Counts(draft(4), 4));
}

TEST_F(BatchBuilderTest, DraftsThatMakeNoSenseAreRefused) {
  EXPECT_EQ(Refusal({{.sequence = kA, .slot = 4, .drafts = {30}}}),
            "sequence 1: has drafts in a run that samples none");
  EXPECT_EQ(
      Refusal({{.sequence = kA, .slot = 5, .samples = true, .drafts = {100}}}),
      "sequence 1: has the draft 100, the vocabulary has 100");
  EXPECT_EQ(
      Refusal({{.sequence = kA, .slot = 5, .samples = true, .drafts = {-1}}}),
      "sequence 1: has the draft -1, the vocabulary has 100");
  EXPECT_EQ(
      Refusal(
          {{.sequence = kA, .slot = 5, .samples = true, .drafts = {1, 2, 3}}}),
      "sequence 1: has rows up to position 9, knows 6 tokens of a "
      "context of 8");
  EXPECT_EQ(Refusal({{.sequence = kA,
                      .slot = 6,
                      .num_rows = 0,
                      .samples = true,
                      .drafts = {1}}}),
            "sequence 1: has 1 drafts in a run of 1 rows, must be fewer");
  Runs runs =
      RunsOf({{.sequence = kA, .slot = 5, .samples = true, .drafts = {1}}});
  runs.add_draft_tokens(2);
  EXPECT_EQ(Refusal(runs), "runs announce 1 drafts and list 2 tokens");
  runs.set_num_drafts(0, ~0u);
  EXPECT_EQ(Refusal(runs), "runs announce 4294967295 drafts and list 2 tokens");
  runs.add_num_drafts(0);
  EXPECT_EQ(Refusal(runs), "runs.num_drafts has 2 entries, sequence has 1");
}

TEST_F(BatchBuilderTest, DraftsAreRefusedWhereSamplingLooksAtThem) {
  NewSequence sequence = NewSequenceOf(5, {1, 2}, {6});
  sequence.mutable_sampling()->set_presence_penalty(1);
  ASSERT_TRUE(store_.Apply(PlanWriter(2).Add(sequence).plan()).ok());
  EXPECT_EQ(
      Refusal({{.sequence = 5, .num_rows = 2, .samples = true, .drafts = {1}}}),
      "sequence 5: has drafts, and parameters that look at them");
}

}  // namespace
}  // namespace quire
