#include "scheduler/engine/engine.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/engine/engine_fixture.h"

namespace quire {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class EngineTest : public EngineFixture {
 protected:
  EngineSnapshot Snapshot() { return engine_->Snapshot(/*with_blocks=*/false); }
  absl::StatusCode CodeOf(Client& client) {
    return client.Collect().status.code();
  }
};

TEST_F(EngineTest, ServesARequest) {
  Start();
  Client& client = Submit({.prompt = MakePrompt(1, 9), .max_tokens = 6});
  RunToEnd();
  ExpectServed(client);
  EXPECT_EQ(client.finish_reason, FinishReason::kLength);
  EXPECT_EQ(client.usage.prompt_tokens, 9u);
  ExpectIdle();
}

TEST_F(EngineTest, AnIdleTurnDoesNothing) {
  Start();
  EXPECT_FALSE(engine_->RunOnce());
  Submit({});
  EXPECT_TRUE(engine_->RunOnce());
  EXPECT_FALSE(engine_->RunOnce());  // Waits for the result.
}

TEST_F(EngineTest, KeepsAsManyPlansInFlightAsItMay) {
  for (const uint32_t depth : {1u, 2u}) {
    options_.pipeline_depth = depth;
    Start();
    Submit({.max_tokens = 9});
    Settle();
    EXPECT_EQ(group_->num_in_flight(), depth);
  }
}

TEST_F(EngineTest, TokensComeAsTheyAreMade) {
  Start();
  Client& client = Submit({.max_tokens = 5});
  Settle();
  Step();
  EXPECT_THAT(client.Collect().tokens, SizeIs(1));
  Step();
  EXPECT_THAT(client.Collect().tokens, SizeIs(2));
}

TEST_F(EngineTest, AStepCountsWhenAllRanksHaveAnswered) {
  shape_.num_ranks = 2;
  Start();
  Client& client = Submit({.max_tokens = 1});
  Settle();
  group_->Answer(Rank(0));
  Settle();
  EXPECT_EQ(client.Collect().num_closings, 0);
  group_->Answer(Rank(1));
  Settle();
  ExpectServed(client);
}

TEST_F(EngineTest, CancelledBlocksAreFreeWithinTheTurn) {
  Start();
  Client& client = Submit({.max_tokens = 9});
  Settle();
  EXPECT_GT(Snapshot().blocks.active, 0u);
  engine_->Cancel(client.id);
  engine_->RunOnce();
  EXPECT_EQ(Snapshot().blocks.active, 0u);
  EXPECT_EQ(CodeOf(client), absl::StatusCode::kCancelled);
}

TEST_F(EngineTest, ADeadlineEndsARequest) {
  Start();
  Client& client =
      Submit({.max_tokens = 9, .deadline = clock_.Now() + absl::Seconds(2)});
  Settle();
  clock_.Advance(absl::Seconds(2));
  EXPECT_TRUE(engine_->RunOnce());
  EXPECT_EQ(CodeOf(client), absl::StatusCode::kDeadlineExceeded);
}

// --- Groups come and go

TEST_F(EngineTest, WithoutAWorkerRequestsAreRefused) {
  StartEngine();
  Client& client = Submit({});
  Settle();
  EXPECT_EQ(client.Collect().status,
            absl::UnavailableError("no worker is attached"));
  EXPECT_EQ(Snapshot().epoch, Epoch());
}

TEST_F(EngineTest, StreamsContinueWhenTheGroupIsReadyAgain) {
  options_.pipeline_depth = 2;
  Start();
  Client& client = Submit({.prompt = MakePrompt(1, 9), .max_tokens = 6});
  Settle();
  Steps(3);
  LoseGroup();
  Client& later = Submit({});
  Settle();
  EXPECT_EQ(Snapshot().num_waiting, 2u);
  AttachGroup();
  RunToEnd();
  ExpectServed(client);
  ExpectServed(later);
  ExpectIdle();
}

TEST_F(EngineTest, ResultsOfAnotherEpochAreIgnored) {
  Start();
  Client& client = Submit({.max_tokens = 3});
  Settle();
  const std::shared_ptr<PuppetGroup> old = group_;
  LoseGroup();
  AttachGroup();
  old->AnswerStep();
  Settle();
  EXPECT_THAT(client.Collect().tokens, IsEmpty());
  EXPECT_NE(Snapshot().epoch, Epoch());
  RunToEnd();
  ExpectServed(client);
}

TEST_F(EngineTest, TheLossOfAnotherEpochIsIgnored) {
  Start();
  engine_->OnGroupLost(Epoch(77));
  Settle();
  EXPECT_NE(Snapshot().epoch, Epoch());
}

TEST_F(EngineTest, ANewEpochReplacesOneThatWasNotReportedLost) {
  Start();
  Client& client = Submit({.max_tokens = 5});
  Settle();
  Steps(2);
  AttachGroup();
  RunToEnd();
  ExpectServed(client);
  ExpectIdle();
}

TEST_F(EngineTest, DroppedPrefixesAreNotFoundAndHarmNobody) {
  Start();
  const std::vector<Token> prompt = MakePrompt(1, 9);
  Client& running = Submit({.prompt = prompt, .max_tokens = 6});
  Settle();
  Step();
  engine_->DropPrefixes();
  Settle();
  EXPECT_EQ(Snapshot().blocks.cached, 0u);
  Client& later = Submit({.prompt = prompt, .max_tokens = 6});
  RunToEnd();
  ExpectServed(running);
  ExpectServed(later);
  EXPECT_EQ(later.usage.cached_prompt_tokens, 0u);
  ExpectIdle();
}

// --- Bad answers: the group is abandoned with the reason, requests wait

class BadAnswerTest : public EngineTest {
 protected:
  // Two sequences decode; one of them gains its second token in what follows.
  void SetUp() override {
    Start();
    Submit({.prompt = MakePrompt(1, 4), .max_tokens = 6});
    Submit({.prompt = MakePrompt(2, 4), .max_tokens = 6});
    Settle();
    Step();
  }
  std::string ReasonAfter(
      std::function<void(worker::v1::StepResult&)> corruption) {
    group_->CorruptNext(Rank(0), std::move(corruption));
    Step();
    EXPECT_EQ(Snapshot().epoch, Epoch());
    EXPECT_EQ(Snapshot().num_waiting, 2u);
    return group_->abandoned();
  }
  void TearDown() override {
    AttachGroup();
    RunToEnd();
    for (Client& client : clients_) ExpectServed(client);
    ExpectIdle();
  }
};

TEST_F(BadAnswerTest, AFailedRank) {
  EXPECT_EQ(ReasonAfter([](worker::v1::StepResult& result) {
              result.set_status_code(8);
              result.set_status_message("out of memory");
            }),
            "rank 0, step 2: failed with code 8: out of memory");
}

TEST_F(BadAnswerTest, AWrongStep) {
  EXPECT_EQ(ReasonAfter(
                [](worker::v1::StepResult& result) { result.set_step_id(9); }),
            "rank 0, step 9: the answer to step 2 is due");
}

TEST_F(BadAnswerTest, AMissingToken) {
  EXPECT_THAT(ReasonAfter([](worker::v1::StepResult& result) {
                result.clear_sampled();
              }),
              HasSubstr("sampled tokens lack position 5 of sequence 1"));
}

TEST_F(BadAnswerTest, ATokenInTheWrongPlace) {
  EXPECT_THAT(ReasonAfter([](worker::v1::StepResult& result) {
                result.mutable_sampled()->set_position(1, 6);
              }),
              HasSubstr("give position 6 of sequence 2"));
}

TEST_F(BadAnswerTest, AnAnswerToNothing) {
  worker::v1::StepResult result;
  result.set_epoch(shape_.epoch.value());
  result.set_step_id(3);
  group_->AnswerStep();
  engine_->OnResult(Rank(0), result);
  Settle();
  EXPECT_EQ(group_->abandoned(), "rank 0, step 3: no answer is due");
}

TEST_F(EngineTest, AFailedSequenceEndsItsRequestAndNoOther) {
  options_.pipeline_depth = 2;
  Start();
  Client& failed = Submit({.prompt = MakePrompt(1, 4), .max_tokens = 6});
  Client& other = Submit({.prompt = MakePrompt(2, 4), .max_tokens = 6});
  Settle();
  Step();
  group_->CorruptNext(Rank(0), [](worker::v1::StepResult& result) {
    result.add_failed_sequences(1);
  });
  RunToEnd();
  EXPECT_EQ(failed.Collect().status,
            absl::InternalError("the model's logits for token 5 of the request "
                                "are not finite: nothing can be chosen"));
  EXPECT_THAT(failed.tokens, SizeIs(1));
  ExpectServed(other);
  EXPECT_EQ(group_->abandoned(), "");
  ExpectIdle();
}

TEST_F(EngineTest, ARequestThatNoRankExecutesEndsAfterEightEpochs) {
  Start();
  Client& client = Submit({.max_tokens = 6});
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(client.Collect().num_closings, 0);
    if (i > 0) AttachGroup();
    Settle();
    group_->CorruptNext(Rank(0), [](worker::v1::StepResult& result) {
      result.set_status_code(3);
      result.set_status_message("never heard of it");
    });
    Step();
  }
  EXPECT_EQ(CodeOf(client), absl::StatusCode::kInternal);
  EXPECT_EQ(client.status.message(),
            "the last 8 steps of this request have failed: rank 0, step 1: "
            "failed with code 3: never heard of it");
  AttachGroup();
  ExpectIdle();
}

TEST_F(EngineTest, FailedStepsBetweenTokensEndNoRequest) {
  Start();
  Client& client = Submit({.max_tokens = 6});
  for (int i = 0; i < 4; ++i) {
    Settle();
    Step();
    group_->CorruptNext(Rank(0), [](worker::v1::StepResult& result) {
      result.set_status_code(13);
    });
    Step();
    AttachGroup();
  }
  RunToEnd();
  ExpectServed(client);
}

TEST_F(EngineTest, TheLossOfAGroupIsNoFaultOfItsRequests) {
  Start();
  Client& client = Submit({.max_tokens = 6});
  for (int i = 0; i < 9; ++i) {
    Settle();
    LoseGroup();
    AttachGroup();
  }
  RunToEnd();
  ExpectServed(client);
}

// --- Drain

class DrainTest : public EngineTest {
 protected:
  void Drain(absl::Duration limit) {
    engine_->Drain(clock_.Now() + limit, [this] { ++num_done_; });
    Settle();
  }
  int num_done_ = 0;
};

TEST_F(DrainTest, AnIdleEngineIsDoneAtOnce) {
  Start();
  Drain(absl::Seconds(10));
  EXPECT_EQ(num_done_, 1);
}

TEST_F(DrainTest, OpenRequestsFinishAndNewOnesAreRefused) {
  Start();
  Client& open = Submit({.max_tokens = 3});
  Settle();
  Drain(absl::Seconds(10));
  Client& late = Submit({});
  Settle();
  EXPECT_EQ(CodeOf(late), absl::StatusCode::kUnavailable);
  EXPECT_EQ(num_done_, 0);
  RunToEnd();
  ExpectServed(open);
  EXPECT_EQ(num_done_, 1);
}

TEST_F(DrainTest, AtTheLimitTheRestIsClosed) {
  Start();
  Client& client = Submit({.max_tokens = 9});
  Settle();
  Drain(absl::Seconds(10));
  clock_.Advance(absl::Seconds(10));
  Settle();
  EXPECT_EQ(CodeOf(client), absl::StatusCode::kUnavailable);
  EXPECT_EQ(num_done_, 1);
  ExpectIdle();
}

TEST_F(DrainTest, ASecondDrainMayOnlyBringTheLimitForward) {
  Start();
  Client& client = Submit({.max_tokens = 9});
  Settle();
  Drain(absl::Seconds(10));
  Drain(absl::Hours(1));
  Drain(absl::ZeroDuration());
  EXPECT_EQ(CodeOf(client), absl::StatusCode::kUnavailable);
  EXPECT_EQ(num_done_, 3);
}

// --- Signs of life

TEST_F(EngineTest, IsStuckWhereNoResultComes) {
  Start();
  EXPECT_FALSE(engine_->IsStuck(absl::Seconds(5)));
  Submit({.max_tokens = 9});
  Settle();
  clock_.Advance(absl::Seconds(4));
  Step();  // A result: the time starts anew.
  clock_.Advance(absl::Seconds(4));
  engine_->RunOnce();
  EXPECT_FALSE(engine_->IsStuck(absl::Seconds(5)));
  clock_.Advance(absl::Seconds(2));
  EXPECT_TRUE(engine_->IsStuck(absl::Seconds(5)));
}

TEST_F(EngineTest, IsNotStuckWithoutWorkOrWithoutAGroup) {
  Start();
  Client& client = Submit({.max_tokens = 2});
  RunToEnd();
  ExpectServed(client);
  clock_.Advance(absl::Hours(1));
  EXPECT_FALSE(engine_->IsStuck(absl::Seconds(5)));
  Submit({.max_tokens = 9});
  Settle();
  LoseGroup();
  clock_.Advance(absl::Hours(1));
  EXPECT_FALSE(engine_->IsStuck(absl::Seconds(5)));
}

TEST_F(EngineTest, ANewEpochIsNotStuckFromTheStart) {
  Start();
  Submit({.max_tokens = 9});
  Settle();
  clock_.Advance(absl::Hours(1));
  AttachGroup();
  EXPECT_FALSE(engine_->IsStuck(absl::Seconds(5)));
}

TEST_F(EngineTest, EveryTurnIsAHeartbeat) {
  Start();
  clock_.Advance(absl::Seconds(9));
  EXPECT_EQ(engine_->last_heartbeat(), clock_.Now() - absl::Seconds(9));
  engine_->RunOnce();
  EXPECT_EQ(engine_->last_heartbeat(), clock_.Now());
}

TEST_F(EngineTest, ClosesWhatIsOpenWhenItGoes) {
  Start();
  Client& running = Submit({.max_tokens = 9});
  Settle();
  Client& unheard = Submit({});
  engine_.reset();
  EXPECT_EQ(CodeOf(running), absl::StatusCode::kUnavailable);
  EXPECT_EQ(CodeOf(unheard), absl::StatusCode::kUnavailable);
}

TEST_F(EngineTest, MetricsTellWhatHappened) {
  Start();
  Submit({.prompt = MakePrompt(1, 9), .max_tokens = 6});
  RunToEnd();
  const std::string text = metrics_->Serialize();
  EXPECT_THAT(text, HasSubstr("quire_steps_total 6"));
  EXPECT_THAT(text, HasSubstr("quire_prompt_tokens_total 9"));
  EXPECT_THAT(text, HasSubstr("quire_generated_tokens_total 6"));
  EXPECT_THAT(text, HasSubstr("quire_blocks{state=\"active\"} 0"));
  EXPECT_THAT(text, HasSubstr("quire_blocks{state=\"cached\"} 3"));
  EXPECT_THAT(text, HasSubstr("quire_blocks{state=\"free\"} 29"));
  EXPECT_THAT(text, HasSubstr("quire_prefix_query_tokens_total 9"));
  EXPECT_THAT(text, HasSubstr("quire_prefix_hit_tokens_total 0"));
  EXPECT_THAT(text, HasSubstr("quire_requests_total{outcome=\"length\"} 1"));
  EXPECT_THAT(text, HasSubstr("quire_consistency_violations_total 0"));
}

}  // namespace
}  // namespace quire
