// Beam searches over puppets, step by step.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/engine/scheduler_fixture.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class BeamsTest : public SchedulerFixture {
 protected:
  static Ask Search(uint32_t width, uint32_t n) {
    return {.prompt = MakePrompt(7, 9),
            .max_tokens = 6,
            .n = n,
            .beam_width = width};
  }
};

TEST_F(BeamsTest, TheClientGetsTheBestHypothesesWithTheirScores) {
  Start();
  Client& client = Submit(Search(/*width=*/3, /*n=*/2));
  RunToEnd();
  ExpectServed(client);
  EXPECT_EQ(client.tokens_of.size(), 2u);
  ASSERT_THAT(client.scores, SizeIs(2));
  EXPECT_GT(client.scores[0], client.scores[1]);
  EXPECT_LT(client.scores[0], 0);
  ExpectIdle();
}

TEST_F(BeamsTest, NothingIsSentBeforeTheSearchIsDone) {
  Start();
  Client& client = Submit(Search(3, 3));
  while (scheduler_->num_open() > 0) {
    EXPECT_THAT(client.Collect().tokens_of, IsEmpty());
    PlanStep();
    CommitStep();
  }
  EXPECT_EQ(client.Collect().tokens_of.size(), 3u);
}

TEST_F(BeamsTest, BeamsAreForksOfThePromptInThePlanAfterIt) {
  Start();
  Submit(Search(3, 1));
  PlanStep();
  CommitStep();
  const auto plan = PlanStep();
  ASSERT_TRUE(plan.has_value());
  ASSERT_EQ(plan->forks_size(), 3);
  for (const auto& fork : plan->forks()) {
    EXPECT_EQ(fork.num_tokens(), 9u);
    EXPECT_THAT(fork.tokens(), SizeIs(1));
  }
  EXPECT_THAT(plan->released(), ElementsAre(plan->forks(0).parent()));
  // The prompt's third block is one of three slots; one beam may keep it.
  EXPECT_THAT(plan->copies().source(), SizeIs(2));
  EXPECT_THAT(plan->copies().num_slots(), ElementsAre(1, 1));
  EXPECT_EQ(scheduler_->group()->pool().num_active(), 5u);
}

TEST_F(BeamsTest, ABeamIsNeverInTwoPlans) {
  options_.pipeline_depth = 2;
  Start();
  Submit(Search(3, 1));
  ASSERT_TRUE(PlanStep().has_value());
  EXPECT_FALSE(PlanStep().has_value());
  CommitStep();
  EXPECT_TRUE(PlanStep().has_value());
  EXPECT_FALSE(PlanStep().has_value());
}

TEST_F(BeamsTest, DroppedBeamsGiveTheirBlocksBackInTheSameStep) {
  Start();
  Submit(Search(4, 1));
  uint32_t most = 0;
  while (scheduler_->num_open() > 0) {
    PlanStep();
    CommitStep();
    // Two full blocks of the prompt, and two blocks at most for each beam.
    most = std::max(most, scheduler_->group()->pool().num_active());
  }
  EXPECT_LE(most, 2 + 4 * 2u);
  ExpectIdle();
}

TEST_F(BeamsTest, AStopTokenCompletesAHypothesis) {
  Start();
  Ask ask = Search(3, 3);
  for (Token token = 0; token < 40; ++token) ask.stops.push_back(token);
  Client& client = Submit(std::move(ask));
  RunToEnd();
  ExpectServed(client);
  EXPECT_EQ(client.finish_reason, FinishReason::kStop);
}

TEST_F(BeamsTest, LogprobsAreThoseOfTheChosenTokens) {
  Start();
  Ask ask = Search(2, 1);
  ask.logprobs = true;
  Client& client = Submit(std::move(ask));
  RunToEnd();
  ExpectServed(client);
  ASSERT_THAT(client.logprobs, SizeIs(6));
  double sum = 0;
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(client.logprobs[i].chosen.token, client.tokens[i]);
    EXPECT_THAT(client.logprobs[i].top, IsEmpty());  // None were asked for.
    sum += client.logprobs[i].chosen.logprob;
  }
  EXPECT_NEAR(client.scores[0], sum / 6, 1e-5);
}

TEST_F(BeamsTest, ManyShareAPoolThatIsTooSmallForAll) {
  options_.pipeline_depth = 2;
  shape_.num_blocks = 14;
  Start();
  std::vector<Client*> clients;
  for (uint32_t i = 0; i < 5; ++i) {
    Ask ask = Search(/*width=*/i % 2 == 0 ? 3 : 1, 1);
    ask.prompt = MakePrompt(i, 5);
    ask.max_tokens = 9;
    clients.push_back(&Submit(std::move(ask)));
  }
  RunToEnd();
  EXPECT_GT(preemptions(), 0);
  for (Client* client : clients) ExpectServed(*client);
  ExpectIdle();
}

// Two beams have their tokens, the third waits for a block, when the search
// gives way.
TEST_F(BeamsTest, TokensThatAreFoundAgainCountOnce) {
  shape_.num_blocks = 10;
  Start();
  Submit({.prompt = MakePrompt(1, 9), .max_tokens = 24});
  Client& client = Submit(Search(3, 1));
  RunToEnd();
  EXPECT_EQ(preemptions(), 1);
  ExpectServed(client);
  EXPECT_EQ(client.usage.generated_tokens, 1 + 5 * 3u);
  EXPECT_EQ(metrics_->generated_tokens->Value(), 24 + 1 + 5 * 3);
}

TEST_F(BeamsTest, InWorstCaseASearchNeverLosesItsBlocks) {
  options_.pipeline_depth = 2;
  options_.admission = AdmissionMode::kWorstCase;
  shape_.num_blocks = 14;
  Start();
  std::vector<Client*> clients;
  for (uint32_t i = 0; i < 5; ++i) {
    Ask ask = Search(/*width=*/3, 1);
    if (i % 2 == 0) ask = {.max_tokens = 12};
    ask.prompt = MakePrompt(i, 5);
    clients.push_back(&Submit(std::move(ask)));
  }
  RunToEnd();
  EXPECT_EQ(preemptions(), 0);
  for (Client* client : clients) ExpectServed(*client);
  ExpectIdle();
}

TEST_F(BeamsTest, AnEpochMayEndAnywhere) {
  Start();
  Client& client = Submit(Search(3, 2));
  for (int i = 0; i < 4; ++i) {
    PlanStep();
    CommitStep();
    if (i % 2 == 1) Restart();
  }
  PlanStep();
  Restart();
  RunToEnd();
  ExpectServed(client);
  ExpectIdle();
}

// Beams that are computed again get there one after the other, and the first
// ones once more where the epoch ends between.
TEST_F(BeamsTest, UsageCountsATokenOnceThatIsFoundAgain) {
  shape_.max_step_rows = 3;
  Start();
  Client& undisturbed = Submit(Search(3, 1));
  RunToEnd();
  Client& client = Submit(Search(3, 1));
  for (const int num_steps : {4, 5}) {
    for (int i = 0; i < num_steps; ++i) {
      PlanStep();
      CommitStep();
    }
    Restart();
  }
  RunToEnd();
  ExpectServed(undisturbed);
  ExpectServed(client);
  EXPECT_EQ(client.usage.generated_tokens, undisturbed.usage.generated_tokens);
}

TEST_F(BeamsTest, CancelledBetweenAChoiceAndItsPlan) {
  Start();
  Client& client = Submit(Search(3, 2));
  PlanStep();
  CommitStep();
  scheduler_->Cancel(client.id, now_);
  Client& other = Submit({.prompt = MakePrompt(2, 9)});
  RunToEnd();
  ExpectServed(other);
  ExpectIdle();
}

}  // namespace
}  // namespace quire
