#include "worker/executor/executor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "common/check.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_model.h"
#include "tests/testing/plan_writer.h"

namespace quire {
namespace {

using ::testing::ElementsAre;
using testing::FakeModel;
using ::testing::IsEmpty;
using testing::NewSequenceOf;
using testing::PlanWriter;
using ::testing::SizeIs;
using worker::v1::NewSequence;
using worker::v1::StepPlan;
using worker::v1::StepResult;

constexpr int kVocabulary = 64;
constexpr int kContext = 64;
constexpr int kBlockSize = 4;
constexpr int kNumBlocks = 64;
constexpr EpochSetup kSetup = {.epoch = Epoch(1),
                               .block_size = kBlockSize,
                               .num_blocks = kNumBlocks,
                               .max_step_rows = 40,
                               .num_host_blocks = 8};

// Advances by a fixed amount with each look.
class TickingClock final : public Clock {
 public:
  absl::Time Now() const override { return now_ += tick_; }
  void set_tick(absl::Duration tick) { tick_ = tick; }

 private:
  mutable absl::Time now_ = absl::UnixEpoch();
  absl::Duration tick_ = absl::Nanoseconds(1);
};

class ExecutorTest : public ::testing::Test {
 protected:
  ExecutorTest() { EXPECT_TRUE(executor_.Begin(kSetup).ok()); }

  StepResult Execute(const PlanWriter& plan) {
    StepResult result;
    const absl::Status status = executor_.Execute(plan.plan(), &result);
    EXPECT_TRUE(status.ok()) << status;
    return result;
  }
  absl::Status Refusal(const PlanWriter& plan) {
    StepResult result;
    return executor_.Execute(plan.plan(), &result);
  }

  // Greedy continuation by the model itself, without any cache.
  std::vector<Token> Expected(std::vector<Token> tokens, int count) const {
    const size_t prompt = tokens.size();
    for (int i = 0; i < count; ++i) {
      const std::vector<float> logits = model_.LogitsAfter(tokens);
      tokens.push_back(static_cast<Token>(
          std::max_element(logits.begin(), logits.end()) - logits.begin()));
    }
    return {tokens.begin() + prompt, tokens.end()};
  }

  FakeModel model_{kVocabulary, kContext};
  ThreadPool pool_{2};
  SingleRankCommunicator communicator_;
  TickingClock clock_;
  Executor executor_{
      &model_,
      &pool_,
      &communicator_,
      &clock_,
      {.kv_cache_bytes = kNumBlocks * kBlockSize * FakeModel::kBytesPerSlot,
       .host_kv_bytes = 8 * kBlockSize * FakeModel::kBytesPerSlot,
       .max_step_rows = 40,
       .logit_rows_at_once = 3}};
};

TEST_F(ExecutorTest, SampledTokenIsNamedBySequenceAndPosition) {
  const StepResult result =
      Execute(PlanWriter(1)
                  .Add(NewSequenceOf(7, {1, 2, 3}, {5}))
                  .Run({.sequence = 7, .num_rows = 3, .samples = true}));
  EXPECT_EQ(result.step_id(), 1u);
  EXPECT_EQ(result.epoch(), 1u);
  EXPECT_THAT(result.sampled().sequence(), ElementsAre(7));
  EXPECT_THAT(result.sampled().position(), ElementsAre(3));
  EXPECT_EQ(result.sampled().token(0), Expected({1, 2, 3}, 1)[0]);
  EXPECT_LT(result.sampled().logprob(0), 0);
  EXPECT_THAT(result.sampled().num_top(), ElementsAre(0));
}

TEST_F(ExecutorTest, NextStepReadsTheTokenThatWasSampled) {
  const std::vector<Token> expected = Expected({1, 2, 3}, 6);
  PlanWriter first(1);
  first.Add(NewSequenceOf(7, {1, 2, 3}, {5, 9, 2}))
      .Run({.sequence = 7, .num_rows = 3, .samples = true});
  std::vector<Token> tokens = {Execute(first).sampled().token(0)};
  for (uint32_t step = 2; step <= 6; ++step) {
    const StepResult result = Execute(PlanWriter(step).Run(
        {.sequence = 7, .slot = step + 1, .samples = true}));
    tokens.push_back(result.sampled().token(0));
  }
  EXPECT_EQ(tokens, expected);
}

TEST_F(ExecutorTest, StepWithoutRowsRunsNoModel) {
  const StepResult result = Execute(PlanWriter(1));
  EXPECT_EQ(model_.num_forwards(), 0);
  EXPECT_THAT(result.sampled().token(), IsEmpty());
  EXPECT_EQ(Execute(PlanWriter(2)).step_id(), 2u);
}

TEST_F(ExecutorTest, CopyComesBeforeTheRowsThatReadIt) {
  Execute(PlanWriter(1)
              .Add(NewSequenceOf(1, {1, 2, 3, 4, 5, 6}, {0, 1}))
              .Run({.sequence = 1, .num_rows = 6}));
  // A fork that shares block 0 and owns a copy of the first two slots of 1.
  const StepResult result =
      Execute(PlanWriter(2)
                  .Add(NewSequenceOf(2, {1, 2, 3, 4, 5, 6, 9}, {0, 2}))
                  .Copy(1, 2, 2)
                  .Run({.sequence = 2, .slot = 6, .samples = true}));
  EXPECT_EQ(result.sampled().token(0), Expected({1, 2, 3, 4, 5, 6, 9}, 1)[0]);
}

TEST_F(ExecutorTest, ChildSharesFullBlocksAndGoesOnByItself) {
  Execute(PlanWriter(1)
              .Add(NewSequenceOf(1, {1, 2, 3, 4, 5, 6}, {0, 1}))
              .Run({.sequence = 1, .num_rows = 6}));
  const StepResult result = Execute(
      PlanWriter(2)
          .Fork({.parent = 1, .child = 2, .num_tokens = 6, .tokens = {9}})
          .Edit(2, 1, {2})
          .Copy(1, 2, 2)
          .Run({.sequence = 2, .slot = 6, .samples = true})
          .Run({.sequence = 1, .slot = 5, .samples = true}));
  EXPECT_EQ(result.sampled().token(0), Expected({1, 2, 3, 4, 5, 6, 9}, 1)[0]);
  EXPECT_EQ(result.sampled().token(1), Expected({1, 2, 3, 4, 5, 6}, 1)[0]);
}

TEST_F(ExecutorTest, BlockComesBackAsItWasSwappedOut) {
  Execute(PlanWriter(1)
              .Add(NewSequenceOf(1, {1, 2, 3, 4, 5, 6}, {0, 1}))
              .Run({.sequence = 1, .num_rows = 5}));
  // Its blocks are another's in the very step that saves them.
  Execute(PlanWriter(2)
              .Edit(1, 0, {})
              .SwapOut(0, 7)
              .SwapOut(1, 3)
              .Add(NewSequenceOf(2, {8, 9, 8, 9, 8}, {1, 0}))
              .Run({.sequence = 2, .num_rows = 5}));
  const StepResult result =
      Execute(PlanWriter(3)
                  .Edit(1, 0, {5, 6})
                  .SwapIn(7, 5)
                  .SwapIn(3, 6)
                  .Run({.sequence = 1, .slot = 5, .samples = true}));
  EXPECT_EQ(result.sampled().token(0), Expected({1, 2, 3, 4, 5, 6}, 1)[0]);
}

TEST_F(ExecutorTest, BlocksMoveOutThenInThenAreCopied) {
  Execute(PlanWriter(1)
              .Add(NewSequenceOf(1, {1, 2, 3, 4, 5}, {0, 1}))
              .Run({.sequence = 1, .num_rows = 4}));
  // Block 0 -> host block 0 -> block 2 -> block 3.
  const StepResult result =
      Execute(PlanWriter(2)
                  .Edit(1, 0, {3, 1})
                  .SwapOut(0, 0)
                  .SwapIn(0, 2)
                  .Copy(2, 3, 4)
                  .Run({.sequence = 1, .slot = 4, .samples = true}));
  EXPECT_EQ(result.sampled().token(0), Expected({1, 2, 3, 4, 5}, 1)[0]);
}

TEST_F(ExecutorTest, HostBlocksDoNotOutliveTheirEpoch) {
  Execute(PlanWriter(1)
              .Add(NewSequenceOf(1, {1, 2, 3, 4}, {0}))
              .Run({.sequence = 1, .num_rows = 4}));
  Execute(PlanWriter(2).SwapOut(0, 5));
  ASSERT_TRUE(executor_.Begin(kSetup).ok());
  EXPECT_EQ(Refusal(PlanWriter(1).SwapIn(5, 0)),
            absl::InvalidArgumentError("host block 5 is swapped in, but "
                                       "nothing was swapped out to it"));
}

TEST_F(ExecutorTest, BlockReleasedByOnePlanMayBeNamedByTheSame) {
  Execute(PlanWriter(1)
              .Add(NewSequenceOf(1, {1, 2, 3}, {0}))
              .Run({.sequence = 1, .num_rows = 3, .samples = true}));
  const StepResult result =
      Execute(PlanWriter(2)
                  .Release(1)
                  .Add(NewSequenceOf(2, {8, 9}, {0}))
                  .Run({.sequence = 2, .num_rows = 2, .samples = true}));
  EXPECT_EQ(result.sampled().token(0), Expected({8, 9}, 1)[0]);
}

TEST_F(ExecutorTest, PromptLogprobsAreReportedByPosition) {
  NewSequence sequence = NewSequenceOf(7, {1, 2, 3, 4}, {5});
  sequence.mutable_sampling()->set_top_prompt_logprobs(2);
  const StepResult result =
      Execute(PlanWriter(1).Add(sequence).Run({.sequence = 7,
                                               .num_rows = 4,
                                               .samples = true,
                                               .prompt_logprobs = true}));
  const worker::v1::PromptLogprobs& scored = result.prompt_logprobs();
  EXPECT_THAT(scored.sequence(), ElementsAre(7, 7, 7));
  EXPECT_THAT(scored.position(), ElementsAre(1, 2, 3));
  EXPECT_THAT(scored.num_top(), ElementsAre(2, 2, 2));
  EXPECT_THAT(scored.top_token(), SizeIs(6));
  EXPECT_THAT(scored.top_logprob(), SizeIs(6));

  const std::vector<float> logits =
      model_.LogitsAfter(std::vector<Token>{1, 2});
  double sum = 0;
  for (const float x : logits) sum += std::exp(double{x});
  EXPECT_NEAR(scored.logprob(1), logits[3] - std::log(sum), 1e-5);
}

TEST_F(ExecutorTest, AlternativesFollowTheirTokens) {
  NewSequence sequence = NewSequenceOf(7, {1, 2}, {5});
  sequence.mutable_sampling()->set_top_logprobs(3);
  const StepResult result =
      Execute(PlanWriter(1)
                  .Add(sequence)
                  .Add(NewSequenceOf(8, {1}, {6}))
                  .Run({.sequence = 7, .num_rows = 2, .samples = true})
                  .Run({.sequence = 8, .num_rows = 1, .samples = true}));
  EXPECT_THAT(result.sampled().num_top(), ElementsAre(3, 0));
  ASSERT_THAT(result.sampled().top_token(), SizeIs(3));
  EXPECT_EQ(result.sampled().top_token(0), result.sampled().token(0));
  EXPECT_EQ(result.sampled().top_logprob(0), result.sampled().logprob(0));
}

TEST_F(ExecutorTest, LogitsAreHeldForAFewRowsAtOnce) {
  const std::vector<Token> tokens(30, 1);
  const StepResult result = Execute(
      PlanWriter(1)
          .Add(NewSequenceOf(7, tokens, {0, 1, 2, 3, 4, 5, 6, 7}))
          .Run({.sequence = 7, .num_rows = 30, .prompt_logprobs = true}));
  EXPECT_EQ(result.prompt_logprobs().position_size(), 29);
  EXPECT_EQ(model_.max_logit_rows_at_once(), 3);
}

TEST_F(ExecutorTest, TimingsCoverTheWholeStep) {
  clock_.set_tick(absl::Microseconds(3));
  const StepResult result =
      Execute(PlanWriter(1)
                  .Add(NewSequenceOf(7, {1, 2, 3}, {5}))
                  .Run({.sequence = 7, .num_rows = 3, .samples = true}));
  EXPECT_EQ(result.timings().prepare_ns(), 3000u);
  EXPECT_EQ(result.timings().swap_ns(), 3000u);
  EXPECT_EQ(result.timings().execute_ns(), 6000u);  // Forward and logits.
  EXPECT_EQ(result.timings().sample_ns(), 3000u);
}

TEST_F(ExecutorTest, ClockThatIsSetBackYieldsNoTime) {
  clock_.set_tick(-absl::Seconds(1));
  EXPECT_EQ(Execute(PlanWriter(1)).timings().execute_ns(), 0u);
}

TEST_F(ExecutorTest, PlanOfAnotherEpochIsRefused) {
  EXPECT_EQ(Refusal(PlanWriter(1, /*epoch=*/2)),
            absl::FailedPreconditionError("a plan of epoch 2 in epoch 1"));
}

TEST_F(ExecutorTest, GapInStepIdsIsRefused) {
  Execute(PlanWriter(1));
  EXPECT_EQ(Refusal(PlanWriter(3)),
            absl::FailedPreconditionError("step 3 does not follow step 1"));
}

TEST_F(ExecutorTest, RepeatedStepIsRefused) {
  Execute(PlanWriter(1));
  EXPECT_EQ(Refusal(PlanWriter(1)),
            absl::FailedPreconditionError("step 1 does not follow step 1"));
}

TEST_F(ExecutorTest, NothingIsExecutedAfterAFailureUntilTheNextEpoch) {
  EXPECT_EQ(Refusal(PlanWriter(1).Release(9)),
            absl::InvalidArgumentError("sequence 9: released, but not held"));
  EXPECT_EQ(Refusal(PlanWriter(2)),
            absl::FailedPreconditionError(
                "step 2 comes after a plan of epoch 1 that failed"));
  ASSERT_TRUE(executor_.Begin(kSetup).ok());
  Execute(PlanWriter(1));
}

TEST_F(ExecutorTest, NothingIsExecutedAfterAPlanOutOfOrder) {
  for (const PlanWriter& refused : {PlanWriter(2), PlanWriter(1, 9)}) {
    ASSERT_TRUE(executor_.Begin(kSetup).ok());
    EXPECT_FALSE(Refusal(refused).ok());
    EXPECT_EQ(Refusal(PlanWriter(1)),
              absl::FailedPreconditionError(
                  "step 1 comes after a plan of epoch 1 that failed"));
  }
}

TEST_F(ExecutorTest, NothingIsLeftWrittenByAFormerEpoch) {
  Execute(PlanWriter(1)
              .Add(NewSequenceOf(7, {1, 2, 3}, {0}))
              .Run({.sequence = 7, .num_rows = 2}));
  ASSERT_TRUE(executor_.Begin(kSetup).ok());
  EXPECT_EQ(Refusal(PlanWriter(1)
                        .Add(NewSequenceOf(7, {1, 2, 3}, {0}))
                        .Run({.sequence = 7, .slot = 2})),
            absl::InvalidArgumentError(
                "sequence 7: writes from slot 2, only the first 0 slots of its "
                "table are written"));
}

TEST_F(ExecutorTest, SequencesDoNotOutliveTheirEpoch) {
  Execute(PlanWriter(1).Add(NewSequenceOf(7, {1}, {0})));
  EpochSetup next = kSetup;
  next.epoch = Epoch(2);
  ASSERT_TRUE(executor_.Begin(next).ok());
  EXPECT_EQ(
      Refusal(PlanWriter(1, 2).Run({.sequence = 7})),
      absl::InvalidArgumentError("sequence 7: has rows, but is not held"));
}

TEST_F(ExecutorTest, NothingIsExecutedAfterTheEnd) {
  executor_.End();
  EXPECT_EQ(Refusal(PlanWriter(1)),
            absl::FailedPreconditionError("a plan before an epoch has begun"));
}

TEST_F(ExecutorTest, LogitsThatAreNoDistributionFailTheirSequenceAlone) {
  model_.SpoilAfter(9);
  const StepResult result =
      Execute(PlanWriter(1)
                  .Add(NewSequenceOf(7, {1, 9}, {0}))
                  .Add(NewSequenceOf(8, {1, 2}, {1}))
                  .Run({.sequence = 7, .num_rows = 2, .samples = true})
                  .Run({.sequence = 8, .num_rows = 2, .samples = true}));
  EXPECT_THAT(result.failed_sequences(), ElementsAre(7));
  EXPECT_THAT(result.sampled().sequence(), ElementsAre(7, 8));
  EXPECT_TRUE(std::isfinite(result.sampled().logprob(1)));
}

TEST_F(ExecutorTest, AFailedSequenceGoesOnUntilItIsReleased) {
  model_.SpoilAfter(9);
  Execute(PlanWriter(1)
              .Add(NewSequenceOf(7, {1, 9}, {0}))
              .Run({.sequence = 7, .num_rows = 2, .samples = true}));
  Execute(PlanWriter(2).Run({.sequence = 7, .slot = 2, .samples = true}));
  Execute(PlanWriter(3).Release(7));
}

TEST_F(ExecutorTest, ASequenceOfWhichManyRowsFailIsNamedOnce) {
  model_.SpoilAfter(9);
  const StepResult result = Execute(PlanWriter(1)
                                        .Add(NewSequenceOf(7, {9, 9, 9}, {0}))
                                        .Run({.sequence = 7,
                                              .num_rows = 3,
                                              .samples = true,
                                              .prompt_logprobs = true}));
  EXPECT_THAT(result.failed_sequences(), ElementsAre(7));
}

TEST_F(ExecutorTest, ShapesThatWereNotOfferedAreRefused) {
  const auto refusal = [&](uint32_t block_size, uint32_t num_blocks,
                           uint32_t max_step_rows,
                           uint32_t num_host_blocks = 0) {
    const absl::Status status = executor_.Begin(
        {Epoch(2), block_size, num_blocks, max_step_rows, num_host_blocks});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_EQ(refusal(0, 1, 1),
            "welcome.block_size is 0, must be 1 to 2147483647");
  EXPECT_EQ(refusal(6, 1, 1),
            "welcome.block_size is 6, must be a multiple of 4");
  EXPECT_EQ(refusal(4, 65, 1), "welcome.num_blocks is 65, must be 1 to 64");
  EXPECT_EQ(refusal(4, ~0u, 1),
            "welcome.num_blocks is 4294967295, must be 1 to 64");
  EXPECT_EQ(refusal(4, 64, 0), "welcome.max_step_rows is 0, must be 1 to 40");
  EXPECT_EQ(refusal(4, 64, 41), "welcome.max_step_rows is 41, must be 1 to 40");
  EXPECT_EQ(refusal(4, 64, 40, 9),
            "welcome.num_host_blocks is 9, must be 0 to 8");
  EXPECT_EQ(refusal(4, 64, 40, ~0u),
            "welcome.num_host_blocks is 4294967295, must be 0 to 8");
}

TEST_F(ExecutorTest, LackOfMemoryLeavesItIdleAndNamesTheFlag) {
  model_.FailNextAllocation();
  EXPECT_EQ(executor_.Begin(kSetup),
            absl::ResourceExhaustedError("no memory; --kv_cache_memory allows "
                                         "16384, and can be less"));
  EXPECT_EQ(Refusal(PlanWriter(1)),
            absl::FailedPreconditionError("a plan before an epoch has begun"));
  EXPECT_TRUE(executor_.Begin(kSetup).ok());
}

// Rank 1 of a group: told what rank 0 sampled.
class ToldCommunicator final : public Communicator {
 public:
  explicit ToldCommunicator(Token token) : token_(token) {}
  Rank rank() const override { return Rank(1); }
  int num_ranks() const override { return 2; }

 private:
  absl::Status DoForm(Epoch, const std::string&) override {
    return absl::OkStatus();
  }
  void DoLeave() override {}
  absl::Status DoAllReduceSum(std::span<float>) override {
    return absl::OkStatus();
  }
  absl::Status DoBroadcast(std::span<std::byte> bytes) override {
    QUIRE_CHECK(bytes.size() == sizeof(Token));
    std::memcpy(bytes.data(), &token_, sizeof(Token));
    return absl::OkStatus();
  }
  absl::Status DoGatherColumns(const ColumnShares&, float*) override {
    return absl::OkStatus();
  }

  const Token token_;
};

TEST_F(ExecutorTest, RankThatDoesNotSampleKeepsTheTokensOfRankZero) {
  ToldCommunicator told(42);
  Executor rank1(&model_, &pool_, &told, &clock_,
                 {.kv_cache_bytes = 1 << 20, .host_kv_bytes = 1 << 20});
  ASSERT_TRUE(rank1.Begin(kSetup).ok());
  StepResult result;
  const StepPlan first =
      PlanWriter(1)
          .Add(NewSequenceOf(7, {1, 2}, {0}))
          .Run({.sequence = 7, .num_rows = 2, .samples = true})
          .plan();
  ASSERT_TRUE(rank1.Execute(first, &result).ok());
  EXPECT_THAT(result.sampled().token(), IsEmpty());
  const StepPlan second = PlanWriter(2).Run({.sequence = 7, .slot = 2}).plan();
  EXPECT_TRUE(rank1.Execute(second, &result).ok());
}

TEST_F(ExecutorTest, TokenFromRankZeroMustBeOne) {
  ToldCommunicator told(kVocabulary);
  Executor rank1(&model_, &pool_, &told, &clock_,
                 {.kv_cache_bytes = 1 << 20, .host_kv_bytes = 1 << 20});
  ASSERT_TRUE(rank1.Begin(kSetup).ok());
  StepResult result;
  const StepPlan plan = PlanWriter(1)
                            .Add(NewSequenceOf(7, {1}, {0}))
                            .Run({.sequence = 7, .samples = true})
                            .plan();
  EXPECT_EQ(rank1.Execute(plan, &result),
            absl::InternalError("sequence 7: rank 0 sent token 64, the "
                                "vocabulary has 64"));
}

}  // namespace
}  // namespace quire
