#include "worker/executor/sequence_store.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/plan_writer.h"

namespace quire {
namespace {

using ::testing::ElementsAre;
using testing::NewSequenceOf;
using ::testing::Pair;
using testing::PlanWriter;
using ::testing::UnorderedElementsAre;
using worker::v1::NewSequence;
using worker::v1::StepPlan;

constexpr SequenceStore::Limits kLimits = {
    .vocabulary_size = 100, .context_length = 8, .num_blocks = 4};

class SequenceStoreTest : public ::testing::Test {
 protected:
  void Apply(const PlanWriter& plan) {
    const absl::Status status = store_.Apply(plan.plan());
    ASSERT_TRUE(status.ok()) << status;
  }

  // The text with which the plan is refused.
  std::string Refusal(const StepPlan& plan) {
    const absl::Status status = store_.Apply(plan);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  }
  std::string Refusal(const PlanWriter& plan) { return Refusal(plan.plan()); }
  std::string Refusal(const NewSequence& sequence) {
    return Refusal(PlanWriter(1).Add(sequence));
  }

  std::vector<uint32_t> Table(uint64_t sequence) {
    std::vector<uint32_t> table;
    for (const BlockId block : store_.Find(SequenceId(sequence))->blocks) {
      table.push_back(block.value());
    }
    return table;
  }

  SequenceStore store_{kLimits};
};

TEST_F(SequenceStoreTest, NewSequenceIsHeldWithTokensAndTable) {
  NewSequence sequence = NewSequenceOf(7, {1, 2, 3}, {2, 0});
  sequence.set_prompt_length(2);
  Apply(PlanWriter(1).Add(sequence));
  const StoredSequence* stored = store_.Find(SequenceId(7));
  ASSERT_NE(stored, nullptr);
  EXPECT_THAT(stored->history.tokens(), ElementsAre(1, 2, 3));
  EXPECT_EQ(stored->history.prompt_length(), 2);
  EXPECT_THAT(Table(7), ElementsAre(2, 0));
}

TEST_F(SequenceStoreTest, ReleasedSequenceIsForgotten) {
  Apply(PlanWriter(1).Add(NewSequenceOf(7, {1}, {})));
  Apply(PlanWriter(2).Release(7));
  EXPECT_EQ(store_.Find(SequenceId(7)), nullptr);
  EXPECT_EQ(store_.size(), 0u);
}

TEST_F(SequenceStoreTest, SequenceMayBeReleasedAndResumedInOnePlan) {
  Apply(PlanWriter(1).Add(NewSequenceOf(7, {1}, {0})));
  Apply(PlanWriter(2).Release(7).Add(NewSequenceOf(7, {1, 2}, {3})));
  EXPECT_THAT(store_.Find(SequenceId(7))->history.tokens(), ElementsAre(1, 2));
  EXPECT_THAT(Table(7), ElementsAre(3));
}

TEST_F(SequenceStoreTest, EditKeepsTheFirstEntriesAndAppends) {
  Apply(PlanWriter(1)
            .Add(NewSequenceOf(1, {1}, {0, 1}))
            .Add(NewSequenceOf(2, {1}, {}))
            .Edit(1, 1, {2, 3})
            .Edit(2, 0, {1}));
  EXPECT_THAT(Table(1), ElementsAre(0, 2, 3));
  EXPECT_THAT(Table(2), ElementsAre(1));
}

TEST_F(SequenceStoreTest, EditsOfOneSequenceApplyInOrder) {
  Apply(PlanWriter(1)
            .Add(NewSequenceOf(1, {1}, {0, 1}))
            .Edit(1, 0, {2, 3})
            .Edit(1, 1, {0}));
  EXPECT_THAT(Table(1), ElementsAre(2, 0));
}

// Sequence 1: a prompt of two tokens, two generated ones, two blocks.
NewSequence Parent() {
  NewSequence parent = NewSequenceOf(1, {10, 11, 12, 13}, {3, 1});
  parent.set_prompt_length(2);
  return parent;
}

TEST_F(SequenceStoreTest, ChildBeginsAsACopyOfItsParent) {
  NewSequence parent = Parent();
  parent.mutable_sampling()->set_temperature(0.5f);
  parent.mutable_sampling()->set_frequency_penalty(2);
  parent.mutable_sampling()->set_seed(7);
  Apply(PlanWriter(1).Add(parent));
  Apply(PlanWriter(2).Fork(
      {.parent = 1, .child = 2, .num_tokens = 4, .seed = 8}));
  const TokenHistory& child = store_.Find(SequenceId(2))->history;
  EXPECT_THAT(child.tokens(), ElementsAre(10, 11, 12, 13));
  EXPECT_EQ(child.prompt_length(), 2);
  EXPECT_EQ(child.params().temperature, 0.5f);
  EXPECT_EQ(child.params().seed, 8u);
  EXPECT_EQ(child.counts(), store_.Find(SequenceId(1))->history.counts());
  EXPECT_THAT(Table(2), ElementsAre(3, 1));
  EXPECT_EQ(store_.Find(SequenceId(1))->history.params().seed, 7u);
}

TEST_F(SequenceStoreTest, ChildMayLeaveItsParentAnywhereAfterThePrompt) {
  NewSequence parent = Parent();
  parent.mutable_sampling()->set_frequency_penalty(2);
  Apply(PlanWriter(1).Add(parent));
  Apply(PlanWriter(2)
            .Fork({.parent = 1, .child = 2, .num_tokens = 2})
            .Fork({.parent = 1, .child = 3, .num_tokens = 3, .tokens = {9}}));
  EXPECT_THAT(store_.Find(SequenceId(2))->history.tokens(),
              ElementsAre(10, 11));
  const TokenHistory& child = store_.Find(SequenceId(3))->history;
  EXPECT_THAT(child.tokens(), ElementsAre(10, 11, 12, 9));
  EXPECT_THAT(child.counts(), UnorderedElementsAre(Pair(10, 0), Pair(11, 0),
                                                   Pair(12, 1), Pair(9, 1)));
}

TEST_F(SequenceStoreTest, ChildKnowsWhatItsParentSampled) {
  Apply(PlanWriter(1).Add(Parent()));
  store_.Find(SequenceId(1))->history.Append(14);
  Apply(PlanWriter(2).Fork({.parent = 1, .child = 2, .num_tokens = 5}));
  EXPECT_THAT(store_.Find(SequenceId(2))->history.tokens(),
              ElementsAre(10, 11, 12, 13, 14));
}

TEST_F(SequenceStoreTest, ParentMayBeReleasedByThePlanThatForksIt) {
  Apply(PlanWriter(1).Add(Parent()));
  Apply(PlanWriter(2)
            .Fork({.parent = 1, .child = 2, .num_tokens = 4})
            .Fork({.parent = 1, .child = 3, .num_tokens = 4})
            .Release(1)
            .Edit(3, 1, {0}));
  EXPECT_EQ(store_.Find(SequenceId(1)), nullptr);
  EXPECT_THAT(Table(2), ElementsAre(3, 1));
  EXPECT_THAT(Table(3), ElementsAre(3, 0));
}

TEST_F(SequenceStoreTest, ChildGetsTheTableOfBeforeThePlan) {
  Apply(PlanWriter(1).Add(Parent()));
  Apply(PlanWriter(2)
            .Fork({.parent = 1, .child = 2, .num_tokens = 4})
            .Edit(1, 1, {2}));
  EXPECT_THAT(Table(1), ElementsAre(3, 2));
  EXPECT_THAT(Table(2), ElementsAre(3, 1));
}

TEST_F(SequenceStoreTest, ParentThatIsNotHeldIsRefused) {
  Apply(PlanWriter(1).Add(Parent()));
  EXPECT_EQ(Refusal(PlanWriter(2).Fork({.parent = 9, .child = 2})),
            "sequence 9: forked, but not held");
  EXPECT_EQ(Refusal(PlanWriter(2)
                        .Add(NewSequenceOf(4, {1}, {}))
                        .Fork({.parent = 4, .child = 2})),
            "sequence 4: forked, but not held");
}

TEST_F(SequenceStoreTest, ChildOfAPlanIsNoParentInIt) {
  Apply(PlanWriter(1).Add(Parent()));
  EXPECT_EQ(Refusal(PlanWriter(2)
                        .Fork({.parent = 1, .child = 2, .num_tokens = 4})
                        .Fork({.parent = 2, .child = 3, .num_tokens = 4})),
            "sequence 2: forked, but not held");
}

TEST_F(SequenceStoreTest, ChildThatIsHeldIsRefused) {
  Apply(PlanWriter(1).Add(Parent()));
  EXPECT_EQ(
      Refusal(PlanWriter(2).Fork({.parent = 1, .child = 1, .num_tokens = 4})),
      "sequence 1: already held");
  EXPECT_EQ(Refusal(PlanWriter(2)
                        .Fork({.parent = 1, .child = 2, .num_tokens = 4})
                        .Fork({.parent = 1, .child = 2, .num_tokens = 3})),
            "sequence 2: already held");
}

TEST_F(SequenceStoreTest, ChildBeginsWithThePromptAndNothingUnknown) {
  Apply(PlanWriter(1).Add(Parent()));
  EXPECT_EQ(
      Refusal(PlanWriter(2).Fork({.parent = 1, .child = 2, .num_tokens = 1})),
      "sequence 2: begins with 1 tokens of sequence 1, must be 2 to 4");
  EXPECT_EQ(
      Refusal(PlanWriter(2).Fork({.parent = 1, .child = 2, .num_tokens = 5})),
      "sequence 2: begins with 5 tokens of sequence 1, must be 2 to 4");
  EXPECT_EQ(
      Refusal(PlanWriter(2).Fork({.parent = 1, .child = 2, .num_tokens = ~0u})),
      "sequence 2: begins with 4294967295 tokens of sequence 1, must be "
      "2 to 4");
}

TEST_F(SequenceStoreTest, TokensOfAChildThatAreOutOfRangeAreRefused) {
  Apply(PlanWriter(1).Add(Parent()));
  EXPECT_EQ(
      Refusal(PlanWriter(2).Fork(
          {.parent = 1, .child = 2, .num_tokens = 4, .tokens = {5, 100}})),
      "sequence 2: holds token 100, the vocabulary has 100");
  EXPECT_EQ(Refusal(PlanWriter(2).Fork({.parent = 1,
                                        .child = 2,
                                        .num_tokens = 4,
                                        .tokens = {1, 2, 3, 4, 5}})),
            "sequence 2: has 9 tokens, must be 1 to 8");
}

TEST_F(SequenceStoreTest, UnknownSequencesAreRefused) {
  EXPECT_EQ(Refusal(PlanWriter(1).Release(9)),
            "sequence 9: released, but not held");
  EXPECT_EQ(Refusal(PlanWriter(1).Edit(9, 0, {})),
            "sequence 9: its table is edited, but not held");
}

TEST_F(SequenceStoreTest, SequenceIsNotAddedTwice) {
  EXPECT_EQ(Refusal(PlanWriter(1)
                        .Add(NewSequenceOf(7, {1}, {}))
                        .Add(NewSequenceOf(7, {1}, {}))),
            "sequence 7: already held");
}

TEST_F(SequenceStoreTest, TokensOutOfRangeAreRefused) {
  EXPECT_EQ(Refusal(NewSequenceOf(7, {1, 100}, {})),
            "sequence 7: holds token 100, the vocabulary has 100");
  EXPECT_EQ(Refusal(NewSequenceOf(7, {-1}, {})),
            "sequence 7: holds token -1, the vocabulary has 100");
  EXPECT_EQ(Refusal(NewSequenceOf(7, {}, {})),
            "sequence 7: has 0 tokens, must be 1 to 8");
  EXPECT_EQ(Refusal(NewSequenceOf(7, std::vector<Token>(9, 1), {})),
            "sequence 7: has 9 tokens, must be 1 to 8");
}

TEST_F(SequenceStoreTest, PromptBeyondTheTokensIsRefused) {
  NewSequence sequence = NewSequenceOf(7, {1, 2}, {});
  sequence.set_prompt_length(3);
  EXPECT_EQ(Refusal(sequence),
            "sequence 7: prompt_length is 3, but it has 2 tokens");
}

TEST_F(SequenceStoreTest, SamplingThatMakesNoSenseIsRefused) {
  NewSequence sequence = NewSequenceOf(7, {1}, {});
  sequence.mutable_sampling()->set_top_k(-3);
  EXPECT_EQ(Refusal(sequence),
            "sequence 7: sampling.top_k is -3, must be at least 0");
}

TEST_F(SequenceStoreTest, BlocksOutOfRangeAreRefused) {
  EXPECT_EQ(Refusal(NewSequenceOf(7, {1}, {0, 4})),
            "sequence 7: names block 4, there are 4");
  EXPECT_EQ(Refusal(NewSequenceOf(7, {1}, {0, 1, 2, 3, 0})),
            "sequence 7: has a table of 5 blocks, there are 4");
  Apply(PlanWriter(1).Add(NewSequenceOf(8, {1}, {0, 1, 2})));
  EXPECT_EQ(Refusal(PlanWriter(2).Edit(8, 3, {~0u})),
            "sequence 8: names block 4294967295, there are 4");
  EXPECT_EQ(Refusal(PlanWriter(3).Edit(8, 3, {1, 1})),
            "sequence 8: has a table of 5 blocks, there are 4");
}

TEST_F(SequenceStoreTest, BlockTwiceInATableIsRefused) {
  EXPECT_EQ(Refusal(NewSequenceOf(7, {1}, {2, 0, 2})),
            "sequence 7: names block 2 twice in its table");
  Apply(PlanWriter(1).Add(NewSequenceOf(8, {1}, {0, 1})));
  EXPECT_EQ(Refusal(PlanWriter(2).Edit(8, 1, {3, 0})),
            "sequence 8: names block 0 twice in its table");
}

TEST_F(SequenceStoreTest, BlockMayLeaveATableAndReturn) {
  Apply(PlanWriter(1).Add(NewSequenceOf(8, {1}, {0, 1})).Edit(8, 1, {2, 1}));
  EXPECT_THAT(Table(8), ElementsAre(0, 2, 1));
}

TEST_F(SequenceStoreTest, TablesMayShareBlocks) {
  Apply(PlanWriter(1)
            .Add(NewSequenceOf(1, {1}, {0, 1}))
            .Add(NewSequenceOf(2, {1}, {0, 2})));
  EXPECT_THAT(Table(2), ElementsAre(0, 2));
}

TEST_F(SequenceStoreTest, EditsThatDoNotFitAreRefused) {
  Apply(PlanWriter(1).Add(NewSequenceOf(1, {1}, {0})));
  EXPECT_EQ(Refusal(PlanWriter(2).Edit(1, 2, {})),
            "sequence 1: keeps 2 entries of a table of 1");

  StepPlan too_few = PlanWriter(2).Edit(1, 0, {1}).plan();
  too_few.mutable_table_edits()->set_num_appended(0, 2);
  EXPECT_EQ(Refusal(too_few),
            "sequence 1: appends 2 blocks, table_edits.appended has 1 left");

  StepPlan too_many = PlanWriter(2).Edit(1, 0, {1, 2}).plan();
  too_many.mutable_table_edits()->set_num_appended(0, 1);
  EXPECT_EQ(Refusal(too_many),
            "table_edits.appended has 1 blocks that belong to no edit");

  StepPlan uneven = PlanWriter(2).Edit(1, 0, {}).plan();
  uneven.mutable_table_edits()->add_keep(0);
  EXPECT_EQ(Refusal(uneven),
            "table_edits has 1 sequences, 2 keep and 1 num_appended");
}

}  // namespace
}  // namespace quire
