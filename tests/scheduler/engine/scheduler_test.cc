#include "scheduler/engine/scheduler.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/engine/letter_filter.h"
#include "tests/scheduler/engine/scheduler_fixture.h"
#include "tests/testing/puppets/puppet_model.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Sequences are numbered in the order of Submit, from 1.
class SchedulerTest : public SchedulerFixture {};

// --- What a step holds

TEST_F(SchedulerTest, APromptIsOneRunThenARowAStep) {
  Start();
  Client& client = Submit({.prompt = MakePrompt(1, 5), .max_tokens = 3});
  EXPECT_THAT(Runs().num_rows(), ElementsAre(5));
  CommitStep();
  EXPECT_THAT(Runs().position(), ElementsAre(5));
  CommitStep();
  EXPECT_THAT(Runs().position(), ElementsAre(6));
  CommitStep();
  EXPECT_FALSE(PlanStep().has_value());
  ExpectServed(client);
  ExpectIdle();
}

TEST_F(SchedulerTest, ALongPromptIsCutToTheBudget) {
  options_.max_step_tokens = 4;
  Start();
  Client& client = Submit({.prompt = MakePrompt(1, 10)});
  EXPECT_THAT(Runs().samples(), ElementsAre(0));
  CommitStep();
  EXPECT_THAT(Runs().samples(), ElementsAre(0));
  CommitStep();
  const worker::v1::Runs last = Runs();
  EXPECT_THAT(last.num_rows(), ElementsAre(2));
  EXPECT_THAT(last.samples(), ElementsAre(1));
  CommitStep();
  RunToEnd();
  ExpectServed(client);
}

TEST_F(SchedulerTest, TheGroupsRowLimitBoundsAStepToo) {
  shape_.max_step_rows = 3;
  Start();
  Submit({.prompt = MakePrompt(1, 10)});
  EXPECT_THAT(Runs().num_rows(), ElementsAre(3));
}

TEST_F(SchedulerTest, DecodesComeFirstAndPromptsTakeTheRest) {
  options_.max_step_tokens = 6;
  Start();
  Submit({.prompt = MakePrompt(1, 6), .max_tokens = 9});
  PlanStep();
  CommitStep();
  Submit({.prompt = MakePrompt(2, 8)});
  const worker::v1::Runs first = Runs();
  EXPECT_THAT(first.sequence(), ElementsAre(1, 2));
  EXPECT_THAT(first.num_rows(), ElementsAre(1, 5));
  CommitStep();
  Submit({.prompt = MakePrompt(3, 4)});
  const worker::v1::Runs second = Runs();
  EXPECT_THAT(second.sequence(), ElementsAre(1, 2, 3));
  EXPECT_THAT(second.num_rows(), ElementsAre(1, 3, 2));
  EXPECT_EQ(metrics_->mixed_steps->Value(), 2);
}

TEST_F(SchedulerTest, ALateShortRequestEndsWhileAnEarlierLongOneRuns) {
  Start();
  Client& long_one = Submit({.prompt = MakePrompt(1, 4), .max_tokens = 12});
  for (int i = 0; i < 3; ++i) PlanStep(), CommitStep();
  Client& short_one = Submit({.prompt = MakePrompt(2, 4), .max_tokens = 2});
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Runs().sequence(), ElementsAre(1, 2));
    CommitStep();
  }
  ExpectServed(short_one);
  EXPECT_EQ(long_one.Collect().num_closings, 0);
  EXPECT_THAT(Runs().sequence(), ElementsAre(1));
  CommitStep();
  RunToEnd();
  ExpectServed(long_one);
}

TEST_F(SchedulerTest, NoMoreSequencesRunThanAreAllowed) {
  options_.max_running_sequences = 2;
  Start();
  for (int i = 0; i < 3; ++i) Submit({.prompt = MakePrompt(i, 3)});
  EXPECT_THAT(Runs().sequence(), ElementsAre(1, 2));
  CommitStep();
  RunToEnd();
  for (Client& client : clients_) ExpectServed(client);
}

TEST_F(SchedulerTest, NoMoreSequencesRunThanAStepHasRows) {
  options_.max_step_tokens = 2;
  Start();
  for (int i = 0; i < 4; ++i) Submit({.prompt = MakePrompt(i, 1)});
  EXPECT_THAT(Runs().sequence(), ElementsAre(1, 2));
  CommitStep();
  EXPECT_THAT(Runs().sequence(), ElementsAre(1, 2));
}

// --- Two plans in flight

class TwoInFlightTest : public SchedulerTest {
 protected:
  TwoInFlightTest() { options_.pipeline_depth = 2; }
};

TEST_F(TwoInFlightTest, ARowIsPlannedBeforeItsTokenIsKnown) {
  Start();
  Client& client = Submit({.prompt = MakePrompt(1, 3), .max_tokens = 5});
  EXPECT_THAT(Runs().position(), ElementsAre(0));
  EXPECT_THAT(Runs().position(), ElementsAre(3));
  EXPECT_FALSE(PlanStep().has_value());  // Two are in flight.
  CommitStep();
  EXPECT_THAT(Runs().position(), ElementsAre(4));
  CommitStep();
  RunToEnd();
  ExpectServed(client);
  EXPECT_EQ(discarded(), 0);
}

TEST_F(TwoInFlightTest, StaggeredSequencesShareEveryStep) {
  Start();
  Submit({.prompt = MakePrompt(1, 3), .max_tokens = 12});
  PlanStep();
  Submit({.prompt = MakePrompt(2, 3), .max_tokens = 12});
  for (int i = 0; i < 8; ++i) {
    EXPECT_THAT(Runs().sequence(), ElementsAre(1, 2));
    CommitStep();
  }
}

TEST_F(TwoInFlightTest, NothingIsPlannedBeyondMaxTokens) {
  Start();
  Client& client = Submit({.prompt = MakePrompt(1, 3), .max_tokens = 2});
  PlanStep();
  PlanStep();
  CommitStep();
  EXPECT_FALSE(PlanStep().has_value());
  CommitStep();
  ExpectServed(client);
  EXPECT_EQ(discarded(), 0);
}

TEST_F(TwoInFlightTest, AnEndedSequencesBlocksAreNamedByTheVeryNextPlan) {
  shape_.num_blocks = 3;
  const std::vector<Token> prompt = MakePrompt(1, 8);
  Start();
  Client& ends = Submit({.prompt = prompt,
                         .max_tokens = 4,
                         .stops = {GenerateAlone(prompt, 1)[0]}});
  PlanStep();
  PlanStep();  // Its row here is in vain.
  Client& next = Submit({.prompt = MakePrompt(2, 9), .max_tokens = 2});
  CommitStep();
  ExpectServed(ends);
  const std::optional<worker::v1::StepPlan> plan = PlanStep();
  ASSERT_TRUE(plan.has_value());
  EXPECT_THAT(plan->released(), ElementsAre(1));
  EXPECT_THAT(plan->new_sequences(0).blocks(), SizeIs(3));
  RunToEnd();
  EXPECT_EQ(discarded(), 1);
  ExpectServed(next);
  ExpectIdle();
}

TEST_F(TwoInFlightTest, PreemptedInFlightNeitherLosesNorRepeatsAToken) {
  shape_.num_blocks = 6;
  Start();
  Client& first = Submit({.prompt = MakePrompt(1, 7), .max_tokens = 14});
  Client& second = Submit({.prompt = MakePrompt(2, 7), .max_tokens = 14});
  while (preemptions() == 0) {
    if (!PlanStep().has_value()) CommitStep();
  }
  // The victim has a row in the step before, and no result yet.
  EXPECT_THAT(in_flight_.front().runs().sequence(), ElementsAre(1, 2));
  EXPECT_THAT(in_flight_.back().released(), ElementsAre(2));
  RunToEnd();
  ExpectServed(first);
  ExpectServed(second);
  EXPECT_EQ(discarded(), 0);
  ExpectIdle();
}

TEST_F(SchedulerTest, ATokenForAPlaceThatIsTakenIsDiscarded) {
  Start();
  Client& client = Submit({.max_tokens = 9});
  PlanStep();
  scheduler_->running()[0]->leader().AppendToken(7);
  CommitStep();
  EXPECT_EQ(discarded(), 1);
  EXPECT_THAT(client.Collect().tokens, IsEmpty());
}

// --- Admission

TEST_F(SchedulerTest, NobodyOvertakesTheHeadOfTheQueue) {
  shape_.num_blocks = 4;
  Start();
  Submit({.prompt = MakePrompt(1, 7), .max_tokens = 3});
  PlanStep();
  Submit({.prompt = MakePrompt(2, 11), .max_tokens = 2});
  Submit({.prompt = MakePrompt(3, 2), .max_tokens = 2});
  CommitStep();
  EXPECT_THAT(Runs().sequence(), ElementsAre(1));
  CommitStep();
  RunToEnd();
  for (Client& client : clients_) ExpectServed(client);
}

TEST_F(SchedulerTest, AWholePromptIsReservedAtAdmission) {
  options_.max_step_tokens = 2;
  Start();
  Submit({.prompt = MakePrompt(1, 11)});
  PlanStep();
  EXPECT_EQ(num_available(), shape_.num_blocks - 3);
}

TEST_F(SchedulerTest, ARequestThatCanNeverFitIsRefusedWithTheNumbers) {
  shape_.num_blocks = 2;
  Start();
  Client& client = Submit({.prompt = MakePrompt(1, 6), .max_tokens = 4});
  client.Collect();
  EXPECT_EQ(client.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(client.status.message()),
              HasSubstr("6 tokens with max_tokens 4 needs 3 blocks"));
}

TEST_F(SchedulerTest, AFullQueueRefuses) {
  options_.max_waiting_requests = 1;
  Start();
  Submit({});
  Client& client = Submit({});
  EXPECT_EQ(client.Collect().status.code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(metrics_->Requests(Outcome::kRefused)->Value(), 1);
}

// --- Preemption

TEST_F(SchedulerTest, TheLatestArrivalIsPreemptedAndComesBackInItsPlace) {
  shape_.num_blocks = 5;
  Start();
  Client& first = Submit({.prompt = MakePrompt(1, 7), .max_tokens = 12});
  Client& second = Submit({.prompt = MakePrompt(2, 7), .max_tokens = 12});
  while (preemptions() == 0) PlanStep(), CommitStep();
  Client& third = Submit({.prompt = MakePrompt(3, 2), .max_tokens = 2});
  EXPECT_EQ(scheduler_->running()[0]->id(), first.id);
  EXPECT_EQ((*scheduler_->waiting().begin())->id(), second.id);
  RunToEnd();
  for (Client* client : {&first, &second, &third}) ExpectServed(*client);
  ExpectIdle();
}

TEST_F(SchedulerTest, AResumedSequenceIsSentInFullWithItsTokens) {
  shape_.num_blocks = 5;
  Start();
  Submit({.prompt = MakePrompt(1, 7), .max_tokens = 12});
  Client& second = Submit({.prompt = MakePrompt(2, 7), .max_tokens = 12});
  std::optional<worker::v1::StepPlan> plan = PlanStep();
  while (plan->new_sequences_size() != 1) CommitStep(), plan = PlanStep();
  const worker::v1::NewSequence& resumed = plan->new_sequences(0);
  EXPECT_EQ(resumed.sequence(), 2u);
  EXPECT_EQ(resumed.prompt_length(), 7u);
  EXPECT_EQ(resumed.tokens_size(), 7 + second.Collect().tokens.size());
}

TEST_F(SchedulerTest, OneWithoutANewTokenIsNotPreempted) {
  options_.max_step_tokens = 8;
  shape_.num_blocks = 6;
  Start();
  Client& first = Submit({.prompt = MakePrompt(1, 3), .max_tokens = 9});
  Client& second = Submit({.prompt = MakePrompt(2, 3), .max_tokens = 9});
  Client& third = Submit({.prompt = MakePrompt(3, 15), .max_tokens = 2});
  while (preemptions() == 0) PlanStep(), CommitStep();
  EXPECT_EQ((*scheduler_->waiting().begin())->id(), second.id);
  EXPECT_EQ(scheduler_->running()[1]->id(), third.id);
  RunToEnd();
  for (Client* client : {&first, &second, &third}) ExpectServed(*client);
}

// The second one, whose prompt is under way, lacks two blocks; the last one
// holds one.
TEST_F(SchedulerTest, NobodyIsPreemptedInVain) {
  options_.admission = AdmissionMode::kFirstChunk;
  options_.max_step_tokens = 8;
  shape_.num_blocks = 9;
  Start();
  Submit({.prompt = MakePrompt(1, 20), .max_tokens = 4});
  Submit({.prompt = MakePrompt(2, 3),
          .max_tokens = 4,
          .priority = Priority::kLow});
  for (int i = 0; i < 3; ++i) PlanStep(), CommitStep();
  Submit({.prompt = MakePrompt(3, 24), .max_tokens = 2});
  PlanStep(), CommitStep();
  EXPECT_EQ(num_available(), 0u);
  EXPECT_THAT(Runs().sequence(), ElementsAre(1));
  CommitStep();
  RunToEnd();
  EXPECT_EQ(preemptions(), 0);
  for (Client& client : clients_) ExpectServed(client);
}

TEST_F(SchedulerTest, EachStayYieldsAToken) {
  shape_.num_blocks = 6;
  options_.max_step_tokens = 3;
  Start();
  for (int i = 0; i < 5; ++i) {
    Submit({.prompt = MakePrompt(i, 6), .max_tokens = 15});
  }
  RunToEnd();
  for (Client& client : clients_) ExpectServed(client);
  EXPECT_GT(preemptions(), 0);
  EXPECT_LE(preemptions(), 5 * 15);
  ExpectIdle();
}

// --- Several sequences from one prompt

TEST_F(SchedulerTest, SamplesShareThePromptsBlocksAndComputeItOnce) {
  shape_.num_blocks = 32;
  shape_.block_size = 16;
  Start();
  Client& client =
      Submit({.prompt = MakePrompt(1, 33), .max_tokens = 5, .n = 4});
  EXPECT_THAT(Runs().num_rows(), ElementsAre(33));
  CommitStep();
  // Two full blocks are shared; each writes its own third one.
  EXPECT_THAT(Runs().position(), ElementsAre(33, 32, 32, 32));
  EXPECT_EQ(num_available(), 32u - 2 - 4);
  EXPECT_EQ(scheduler_->group()->pool().num_shared(), 2u);
  EXPECT_EQ(scheduler_->group()->pool().num_saved(), 6u);
  CommitStep();
  RunToEnd();
  ExpectServed(client);
  EXPECT_EQ(puppet_->num_copies(), 0u);  // Position 32 begins a block.
  ExpectIdle();
}

TEST_F(SchedulerTest, APartlyFilledBlockIsCopiedOnceForEachSample) {
  Start();  // Blocks of 4 slots.
  Client& client =
      Submit({.prompt = MakePrompt(1, 7), .max_tokens = 5, .n = 3});
  PlanStep();
  CommitStep();
  const std::optional<worker::v1::StepPlan> plan = PlanStep();
  EXPECT_THAT(plan->forks(), SizeIs(2));
  EXPECT_THAT(plan->copies().num_slots(), ElementsAre(2, 2));
  EXPECT_EQ(plan->copies().source(0), plan->copies().source(1));
  CommitStep();
  RunToEnd();
  ExpectServed(client);
  EXPECT_EQ(puppet_->num_copies(), 2u);
  ExpectIdle();
}

TEST_F(SchedulerTest, SamplesStartWhileTheirPromptIsInFlight) {
  options_.pipeline_depth = 2;
  Start();
  Client& client =
      Submit({.prompt = MakePrompt(1, 7), .max_tokens = 3, .n = 2});
  PlanStep();
  EXPECT_THAT(Runs().position(), ElementsAre(7, 6));
  RunToEnd();
  ExpectServed(client);
  ExpectIdle();
}

TEST_F(SchedulerTest, AnEndedSampleFreesItsBlocksAndTheOthersGoOn) {
  Start();
  const std::vector<Token> prompt = MakePrompt(1, 6);
  // The first token of sequence 0 ends it; the others' do not.
  const Token stop = GenerateAlone(prompt, 1)[0];
  Client& client =
      Submit({.prompt = prompt, .max_tokens = 4, .stops = {stop}, .n = 3});
  ASSERT_THAT(client.alone[0], SizeIs(1));
  PlanStep();
  CommitStep();
  EXPECT_THAT(client.Collect().tokens_of[0], SizeIs(1));
  EXPECT_EQ(client.num_closings, 0);
  EXPECT_THAT(PlanStep()->runs().sequence(), ElementsAre(2, 3));
  CommitStep();
  RunToEnd();
  ExpectServed(client);
  ExpectIdle();
}

TEST_F(SchedulerTest, SamplesArePreemptedAndResumedTogether) {
  shape_.num_blocks = 9;
  Start();
  Client& first = Submit({.prompt = MakePrompt(1, 7), .max_tokens = 16});
  Client& second =
      Submit({.prompt = MakePrompt(2, 7), .max_tokens = 8, .n = 2});
  while (preemptions() == 0) PlanStep(), CommitStep();
  EXPECT_EQ(scheduler_->num_running_sequences(), 1u);
  RunToEnd();
  ExpectServed(first);
  ExpectServed(second);
  ExpectIdle();
}

TEST_F(SchedulerTest, MoreSequencesThanEverRunAreRefused) {
  options_.max_running_sequences = 3;
  Start();
  Client& client = Submit({.n = 4});
  EXPECT_EQ(client.Collect().status,
            absl::InvalidArgumentError("the request asks for 4 sequences; at "
                                       "most 3 run at the same time"));
}

TEST_F(SchedulerTest, TheBestSamplesComeAtTheEndRanked) {
  Start();
  Client& client = Submit(
      {.prompt = MakePrompt(1, 5), .max_tokens = 3, .n = 2, .best_of = 4});
  PlanStep();
  CommitStep();
  EXPECT_THAT(client.Collect().tokens, IsEmpty());
  RunToEnd();
  client.Collect();
  EXPECT_TRUE(client.status.ok());
  EXPECT_THAT(client.tokens, SizeIs(6));
  EXPECT_GE(client.scores.at(0), client.scores.at(1));
  EXPECT_EQ(client.usage.generated_tokens, 12u);
  ExpectIdle();
}

// --- Ends

TEST_F(SchedulerTest, AStopStringEndsASequence) {
  const std::vector<Token> prompt = MakePrompt(1, 4);
  const std::vector<Token> all = GenerateAlone(prompt, 9);
  const std::string stop =
      LetterFilter::Letter(all[1]) + LetterFilter::Letter(all[2]);
  Start();
  Client& client = Submit({.prompt = prompt,
                           .max_tokens = 9,
                           .filter = std::make_unique<LetterFilter>(stop)});
  RunToEnd();
  client.Collect();
  EXPECT_EQ(client.finish_reason, FinishReason::kStop);
  EXPECT_EQ(client.stop_reason, stop);
  EXPECT_EQ(client.usage.generated_tokens, 3u);
  EXPECT_EQ(metrics_->Requests(Outcome::kStop)->Value(), 1);
  ExpectIdle();
}

TEST_F(SchedulerTest, CancellationFreesBlocksAtOnce) {
  Start();
  Client& client = Submit({.max_tokens = 9});
  PlanStep();
  EXPECT_LT(num_available(), shape_.num_blocks);
  scheduler_->Cancel(client.id, now_);
  EXPECT_EQ(num_available(), shape_.num_blocks);
  CommitStep();
  EXPECT_EQ(client.Collect().status.code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(client.tokens, IsEmpty());
  EXPECT_EQ(discarded(), 1);
  ExpectIdle();
}

TEST_F(SchedulerTest, CancellingWhatIsNotOpenDoesNothing) {
  Start();
  Client& client = Submit({.max_tokens = 1});
  RunToEnd();
  scheduler_->Cancel(client.id, now_);
  outbox_.Publish();
  ExpectServed(client);
}

TEST_F(SchedulerTest, ADeadlineEndsWaitingAndRunningRequests) {
  options_.max_running_sequences = 1;
  Start();
  const absl::Time deadline = now_ + absl::Seconds(5);
  Client& running = Submit({.max_tokens = 9, .deadline = deadline});
  Client& waiting = Submit({.max_tokens = 9, .deadline = deadline});
  PlanStep();
  CommitStep();
  EXPECT_EQ(scheduler_->next_deadline(), deadline);
  scheduler_->CloseExpired(deadline - absl::Nanoseconds(1));
  EXPECT_EQ(scheduler_->num_open(), 2u);
  scheduler_->CloseExpired(deadline);
  outbox_.Publish();
  for (Client* client : {&running, &waiting}) {
    EXPECT_EQ(client->Collect().status.code(),
              absl::StatusCode::kDeadlineExceeded);
  }
  EXPECT_THAT(running.tokens, SizeIs(1));
  EXPECT_EQ(running.usage.generated_tokens, 1u);
  ExpectIdle();
}

// --- Epochs

TEST_F(SchedulerTest, RequestsContinueInTheNextEpoch) {
  options_.pipeline_depth = 2;
  Start();
  Client& client = Submit({.prompt = MakePrompt(1, 5), .max_tokens = 8});
  for (int i = 0; i < 3; ++i) PlanStep(), CommitStep();
  PlanStep();
  Restart();
  const std::optional<worker::v1::StepPlan> plan = PlanStep();
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->step_id(), 1u);
  EXPECT_THAT(plan->released(), IsEmpty());
  EXPECT_EQ(plan->new_sequences(0).tokens_size(), 8);
  RunToEnd();
  ExpectServed(client);
  ExpectIdle();
}

TEST_F(SchedulerTest, ARequestTooLargeForTheNewPoolEndsWithTheNumbers) {
  Start();
  Client& large = Submit({.prompt = MakePrompt(1, 30), .max_tokens = 8});
  Client& small = Submit({.prompt = MakePrompt(2, 3), .max_tokens = 8});
  PlanStep();
  CommitStep();
  shape_.num_blocks = 4;
  Restart();
  large.Collect();
  EXPECT_EQ(large.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(large.status.message()), HasSubstr("has 4"));
  EXPECT_EQ(metrics_->Requests(Outcome::kError)->Value(), 1);
  RunToEnd();
  ExpectServed(small);
}

TEST_F(SchedulerTest, EveryPromptTokenIsScoredOnceAcrossEpochs) {
  options_.max_step_tokens = 4;
  const std::vector<Token> prompt = MakePrompt(1, 11);
  Start();
  Client& client = Submit({.prompt = prompt, .prompt_logprobs = true});
  PlanStep(), CommitStep();
  PlanStep();
  Restart();
  RunToEnd();
  client.Collect();
  std::vector<float> scores;
  for (const TokenScores& s : client.prompt_logprobs) {
    scores.push_back(s.chosen.logprob);
  }
  EXPECT_EQ(scores, ScorePromptAlone(prompt));
  EXPECT_EQ(client.prompt_logprobs[0].chosen.token, prompt[1]);
}

TEST_F(SchedulerTest, WithoutAnyEpochYetNobodyWaits) {
  Start();
  Scheduler fresh(options_, &*metrics_, &outbox_);
  RequestProbe client;
  fresh.Submit(MakeRequest(RequestId(1), {}, client.mailbox()), now_);
  outbox_.Publish();
  EXPECT_EQ(client.Collect().status,
            absl::UnavailableError("no worker is attached"));
}

TEST_F(SchedulerTest, BetweenEpochsRequestsWait) {
  Start();
  scheduler_->EndEpoch();
  Client& client = Submit({});
  EXPECT_FALSE(PlanStep().has_value());
  EXPECT_EQ(client.Collect().num_closings, 0);
}

// --- What is measured

TEST_F(SchedulerTest, CountsTokensAndTimes) {
  Start();
  Submit({.prompt = MakePrompt(1, 5), .max_tokens = 3});
  now_ += absl::Seconds(1);
  RunToEnd();
  EXPECT_EQ(metrics_->prompt_tokens->Value(), 5);
  EXPECT_EQ(metrics_->generated_tokens->Value(), 3);
  EXPECT_EQ(metrics_->steps->Value(), 3);
  EXPECT_EQ(metrics_->Requests(Outcome::kLength)->Value(), 1);
  const auto first = metrics_->time_to_first_token->Collect().histogram;
  EXPECT_EQ(first.sample_count, 1u);
  EXPECT_EQ(first.sample_sum, 1.0);
  EXPECT_EQ(metrics_->time_between_tokens->Collect().histogram.sample_count,
            2u);
  EXPECT_EQ(metrics_->step_tokens->Collect().histogram.sample_sum, 7.0);
}

}  // namespace
}  // namespace quire
