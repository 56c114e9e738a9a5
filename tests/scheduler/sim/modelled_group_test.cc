#include "scheduler/sim/modelled_group.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scheduler/sim/trace.h"

namespace quire {
namespace {

using testing::ElementsAre;

// A step takes a second, and a second more for each copied slot.
constexpr Machine kMachine = {.memory_bytes_per_s = 4,
                              .memory_efficiency = 1,
                              .flops = 1e30,
                              .flops_efficiency = 1,
                              .step_overhead_s = 1,
                              .host_bytes_per_s = 2};
const ModelShape kShape = {.num_layers = 1, .kv_size = 1};

class ModelledGroupTest : public testing::Test {
 protected:
  static worker::v1::StepPlan PlanOf(uint64_t step) {
    worker::v1::StepPlan plan;
    plan.set_step_id(step);
    plan.set_epoch(1);
    return plan;
  }
  static void AddSequence(worker::v1::StepPlan& plan, uint64_t sequence,
                          const std::vector<Token>& tokens) {
    worker::v1::NewSequence& added = *plan.add_new_sequences();
    added.set_sequence(sequence);
    for (const Token token : tokens) added.add_tokens(token);
  }
  static worker::v1::Fork& AddFork(worker::v1::StepPlan& plan, uint64_t parent,
                                   uint64_t child) {
    worker::v1::Fork& fork = *plan.add_forks();
    fork.set_parent(parent);
    fork.set_child(child);
    return fork;
  }
  static void AddRun(worker::v1::StepPlan& plan, uint64_t sequence,
                     uint32_t position, uint32_t num_rows, bool samples) {
    worker::v1::Runs& runs = *plan.mutable_runs();
    runs.add_sequence(sequence);
    runs.add_slot(position);
    runs.add_position(position);
    runs.add_num_rows(num_rows);
    runs.add_samples(samples ? 1 : 0);
    runs.add_prompt_logprobs(0);
  }

  void Hold(uint64_t sequence, const std::vector<Token>& tokens) {
    worker::v1::StepPlan plan = PlanOf(1);
    AddSequence(plan, sequence, tokens);
    group_.Dispatch(plan);
    group_.TakeResult();
  }

  VirtualClock clock_;
  SystemClock wall_;
  CostModel cost_{kShape, kMachine};
  ModelledGroup group_{&clock_, &wall_, &cost_, /*block_size=*/2};
};

TEST_F(ModelledGroupTest, GoesOnWithTheTextOfEachSequence) {
  worker::v1::StepPlan plan = PlanOf(1);
  AddSequence(plan, 8, {3, 4});
  AddSequence(plan, 9, {5, 6, 7});
  AddRun(plan, 8, 0, 2, /*samples=*/true);
  AddRun(plan, 9, 0, 2, /*samples=*/false);
  group_.Dispatch(plan);
  const worker::v1::SampledTokens first = group_.TakeResult().sampled();
  EXPECT_THAT(first.sequence(), ElementsAre(8));
  EXPECT_THAT(first.position(), ElementsAre(2));
  EXPECT_THAT(first.token(), ElementsAre(TokenAfter(4)));

  plan = PlanOf(2);
  AddRun(plan, 8, 2, 1, /*samples=*/true);
  AddRun(plan, 9, 2, 1, /*samples=*/true);
  group_.Dispatch(plan);
  EXPECT_THAT(group_.TakeResult().sampled().token(),
              ElementsAre(TokenAfter(TokenAfter(4)), TokenAfter(7)));
}

TEST_F(ModelledGroupTest, StepsTakeTheirTimeOneAfterTheOther) {
  EXPECT_EQ(group_.next_result(), absl::InfiniteDuration());
  worker::v1::StepPlan plan = PlanOf(1);
  group_.Dispatch(plan);
  plan = PlanOf(2);
  group_.Dispatch(plan);
  EXPECT_EQ(group_.next_result(), absl::Seconds(1));
  EXPECT_EQ(group_.TakeResult().step_id(), 1);
  EXPECT_EQ(group_.next_result(), absl::Seconds(2));
  EXPECT_EQ(group_.TakeResult().step_id(), 2);

  clock_.AdvanceTo(absl::Seconds(10));
  plan = PlanOf(3);
  group_.Dispatch(plan);
  EXPECT_EQ(group_.next_result(), absl::Seconds(11));
}

TEST_F(ModelledGroupTest, CopiesAndSwapsTakeTime) {
  worker::v1::StepPlan plan = PlanOf(1);
  plan.mutable_copies()->add_num_slots(3);
  plan.mutable_swaps_out()->add_source(0);
  group_.Dispatch(plan);
  // 4 bytes a slot: 3 slots read and written, and a block of 2 to the host.
  EXPECT_EQ(group_.next_result(), absl::Seconds(1 + 3 * 4 * 2 / 4 + 2 * 4 / 2));
}

TEST_F(ModelledGroupTest, ReportsWhatMovingBlocksTookApart) {
  worker::v1::StepPlan plan = PlanOf(1);
  plan.mutable_swaps_in()->add_source(0);
  group_.Dispatch(plan);
  const worker::v1::StepTimings timings = group_.TakeResult().timings();
  EXPECT_EQ(timings.swap_ns(), 2 * 4 / 2 * 1'000'000'000LL);
  EXPECT_EQ(timings.execute_ns(), 1'000'000'000);
}

TEST_F(ModelledGroupTest, AForkOfAPromptHasATextOfItsOwn) {
  Hold(7, {3, 4});
  worker::v1::StepPlan plan = PlanOf(2);
  for (const uint64_t child : {8, 9}) AddFork(plan, 7, child);
  for (const uint64_t i : {7, 8, 9}) AddRun(plan, i, 1, 1, /*samples=*/true);
  group_.Dispatch(plan);
  EXPECT_THAT(group_.TakeResult().sampled().token(),
              ElementsAre(TokenAfter(4), TokenAfter(8), TokenAfter(9)));
}

TEST_F(ModelledGroupTest, AForkThatIsResumedGoesOnWithItsText) {
  Hold(7, {3, 4});
  worker::v1::StepPlan plan = PlanOf(2);
  AddFork(plan, 7, 8).add_tokens(6);
  AddRun(plan, 8, 1, 2, /*samples=*/true);
  group_.Dispatch(plan);
  EXPECT_THAT(group_.TakeResult().sampled().token(),
              ElementsAre(TokenAfter(6)));
}

TEST_F(ModelledGroupTest, ReportsAsManyCandidatesAsAreAskedFor) {
  worker::v1::StepPlan plan = PlanOf(1);
  AddSequence(plan, 7, {3, 4});
  plan.mutable_new_sequences(0)->mutable_sampling()->set_top_logprobs(3);
  AddRun(plan, 7, 0, 2, /*samples=*/true);
  group_.Dispatch(plan);
  const worker::v1::SampledTokens sampled = group_.TakeResult().sampled();
  EXPECT_THAT(sampled.num_top(), ElementsAre(3));
  EXPECT_EQ(sampled.top_token(0), TokenAfter(4));
  double sum = 0;
  for (const float logprob : sampled.top_logprob()) sum += std::exp(logprob);
  EXPECT_LT(sum, 1);
  EXPECT_THAT(sampled.top_logprob(),
              testing::Each(testing::Le(sampled.top_logprob(0))));
}

TEST_F(ModelledGroupTest, CountsWhatItIsSent) {
  worker::v1::StepPlan plan = PlanOf(1);
  AddSequence(plan, 8, {3, 4});
  AddRun(plan, 8, 0, 2, /*samples=*/true);
  group_.Dispatch(plan);
  EXPECT_EQ(group_.num_rows(), 2);
  ASSERT_EQ(group_.dispatches().size(), 1);
  EXPECT_EQ(group_.dispatches()[0].plan_bytes, plan.ByteSizeLong());
}

}  // namespace
}  // namespace quire
