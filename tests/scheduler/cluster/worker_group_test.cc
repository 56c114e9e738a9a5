#include "scheduler/cluster/worker_group.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scheduler/metrics/metric_registry.h"
#include "tests/testing/puppets/manual_clock.h"

namespace quire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Keeps what the scheduler sent to one worker.
class FakeConnection final : public WorkerConnection {
 public:
  void SendWelcome(const worker::v1::Welcome& message) override {
    welcome = message;
  }
  void SendPlan(worker::v1::StepPlan& plan) override {
    plans.push_back(std::exchange(plan, {}));
  }
  void End(const absl::Status& status) override {
    if (!end) end = status;
  }
  const std::string& peer() const override { return peer_; }

  std::optional<worker::v1::Welcome> welcome;
  std::vector<worker::v1::StepPlan> plans;
  std::optional<absl::Status> end;

 private:
  const std::string peer_ = "unix:test";
};

// Keeps what the engine would hear.
class FakeObserver final : public GroupObserver {
 public:
  void OnGroupReady(GroupShape its_shape,
                    std::shared_ptr<GroupLink> its_link) override {
    shape = its_shape;
    link = std::move(its_link);
    ready = true;
  }
  void OnResult(Rank rank, worker::v1::StepResult result) override {
    results.push_back({rank.value(), result.step_id()});
    failure = result.status_message();
  }
  void TakeTurns() override {
    if (on_turns) on_turns();
  }
  void OnGroupLost(Epoch epoch, absl::Status reason) override {
    ready = false;
    lost.push_back({epoch, std::string(reason.message())});
  }

  bool ready = false;
  GroupShape shape;
  std::shared_ptr<GroupLink> link;
  std::vector<std::pair<uint32_t, uint64_t>> results;  // Rank, step.
  std::string failure;                                 // Of the last result.
  std::vector<std::pair<Epoch, std::string>> lost;
  std::function<void()> on_turns;
};

WorkerGroupOptions Options() {
  WorkerGroupOptions options;
  options.terms.model_fingerprint = "aa";
  options.terms.world_size = 2;
  options.vocabulary_size = 100;
  return options;
}

// A group of two ranks.
class WorkerGroupTest : public ::testing::Test {
 protected:
  WorkerGroupTest() : group_(Options(), &clock_, &metrics_, &observer_) {}

  std::shared_ptr<FakeConnection> Connect() {
    auto connection = std::make_shared<FakeConnection>();
    group_.OnAttach(connection);
    return connection;
  }
  void SayHello(const FakeConnection& connection, uint32_t rank,
                const std::string& fingerprint = "aa") {
    worker::v1::WorkerMessage message;
    auto& hello = *message.mutable_hello();
    hello.set_protocol_version(1);
    hello.set_model_fingerprint(fingerprint);
    hello.set_rank(rank);
    hello.set_world_size(2);
    hello.set_kv_dtype("bf16");
    hello.set_compute("auto");
    hello.set_instruction_set("avx2");
    hello.set_bytes_per_slot(10);
    hello.set_kv_cache_bytes(1600);
    hello.set_communicator("shm");
    if (rank == 0) hello.set_rendezvous("unix:@quire-5");
    group_.OnMessage(connection, message);
  }
  void SayReady(const FakeConnection& connection, uint64_t epoch) {
    worker::v1::WorkerMessage message;
    message.mutable_ready()->set_epoch(epoch);
    group_.OnMessage(connection, message);
  }
  void Answer(const FakeConnection& connection, uint64_t step,
              uint64_t epoch = 1) {
    worker::v1::WorkerMessage message;
    message.mutable_result()->set_epoch(epoch);
    message.mutable_result()->set_step_id(step);
    group_.OnMessage(connection, message);
  }
  void Dispatch(uint64_t step) {
    worker::v1::StepPlan plan;
    plan.set_step_id(step);
    plan.add_released(99);
    observer_.link->Dispatch(plan);
  }
  std::shared_ptr<FakeConnection> Attach(uint32_t rank) {
    auto connection = Connect();
    SayHello(*connection, rank);
    return connection;
  }
  // Both ranks attached and ready under `epoch`.
  void Form(uint64_t epoch) {
    first_ = Attach(0);
    second_ = Attach(1);
    SayReady(*first_, epoch);
    SayReady(*second_, epoch);
    ASSERT_TRUE(observer_.ready);
  }
  void ExpectEpochOver(const std::string& reason) {
    EXPECT_FALSE(observer_.ready);
    for (const auto& connection : {first_, second_}) {
      ASSERT_TRUE(connection->end);
      EXPECT_EQ(connection->end->code(), absl::StatusCode::kUnavailable);
      EXPECT_THAT(std::string(connection->end->message()), HasSubstr(reason));
    }
    EXPECT_THAT(group_.NotReadyReason(), HasSubstr(reason));
  }

  ManualClock clock_;
  MetricRegistry metrics_;
  FakeObserver observer_;
  WorkerGroup group_;
  std::shared_ptr<FakeConnection> first_;
  std::shared_ptr<FakeConnection> second_;
};

TEST_F(WorkerGroupTest, WelcomeGoesOutWhenAllRanksAreThere) {
  auto one = Attach(1);
  EXPECT_FALSE(one->welcome);
  EXPECT_EQ(group_.NotReadyReason(), "1 of 2 workers attached");
  auto zero = Attach(0);
  ASSERT_TRUE(zero->welcome && one->welcome);
  EXPECT_EQ(one->welcome->epoch(), 1u);
  EXPECT_EQ(one->welcome->num_blocks(), 10u);
  EXPECT_EQ(one->welcome->rendezvous(), "unix:@quire-5");
  EXPECT_FALSE(observer_.ready);
}

TEST_F(WorkerGroupTest, IsReadyWhenEveryRankIs) {
  auto zero = Attach(0);
  auto one = Attach(1);
  SayReady(*one, 1);
  EXPECT_FALSE(observer_.ready);
  SayReady(*zero, 1);
  EXPECT_TRUE(observer_.ready);
  EXPECT_EQ(observer_.shape.num_blocks, 10u);
  EXPECT_EQ(observer_.shape.num_ranks, 2u);
  EXPECT_EQ(group_.NotReadyReason(), "");
}

TEST_F(WorkerGroupTest, PlanReachesEveryRankAndLeavesAnEmptyOne) {
  Form(1);
  worker::v1::StepPlan plan;
  plan.set_step_id(1);
  plan.add_released(7);
  observer_.link->Dispatch(plan);
  for (const auto& connection : {first_, second_}) {
    ASSERT_EQ(connection->plans.size(), 1u);
    EXPECT_THAT(connection->plans[0].released(), ElementsAre(7));
  }
  EXPECT_EQ(plan.ByteSizeLong(), 0u);
}

TEST_F(WorkerGroupTest, ResultsArriveInTheOrderOfEachRank) {
  Form(1);
  Dispatch(1);
  Dispatch(2);
  Answer(*second_, 1);
  Answer(*first_, 1);
  Answer(*first_, 2);
  EXPECT_THAT(
      observer_.results,
      ElementsAre(std::pair(1u, 1u), std::pair(0u, 1u), std::pair(0u, 2u)));
}

TEST_F(WorkerGroupTest, APlanMayFollowAResultAtOnce) {
  Form(1);
  Dispatch(1);
  observer_.on_turns = [this] {
    EXPECT_EQ(observer_.results.size(), 1u);
    Dispatch(2);
  };
  Answer(*first_, 1);
  EXPECT_EQ(first_->plans.size(), 2u);
}

TEST_F(WorkerGroupTest, LostRankEndsTheEpochAndTheNextForms) {
  Form(1);
  group_.OnClosed(*first_, "hung up");
  ExpectEpochOver("rank 0 hung up");
  EXPECT_THAT(observer_.lost,
              ElementsAre(std::pair(Epoch(1), std::string("rank 0 hung up"))));
  Form(2);
  EXPECT_EQ(observer_.shape.epoch, Epoch(2));
  Dispatch(1);
  Answer(*first_, 1, /*epoch=*/2);
  EXPECT_THAT(observer_.results, ElementsAre(std::pair(0u, 1u)));
}

// A step that fails for this reason is no result: no request is blamed.
TEST_F(WorkerGroupTest, RankThatMissesAnotherEndsTheEpochWithoutAResult) {
  Form(1);
  Dispatch(1);
  worker::v1::WorkerMessage message;
  worker::v1::StepResult& result = *message.mutable_result();
  result.set_epoch(1);
  result.set_step_id(1);
  result.set_status_code(static_cast<uint32_t>(absl::StatusCode::kUnavailable));
  result.set_status_message("rank 1 is gone");
  group_.OnMessage(*first_, message);
  ExpectEpochOver("rank 0 could not finish step 1: rank 1 is gone");
  EXPECT_THAT(observer_.results, IsEmpty());
  EXPECT_EQ(observer_.lost.size(), 1u);
}

TEST_F(WorkerGroupTest, LinkOfAnEndedEpochDoesNothing) {
  Form(1);
  auto old_link = observer_.link;
  group_.OnClosed(*first_, "hung up");
  Form(2);
  worker::v1::StepPlan plan;
  plan.set_step_id(1);
  old_link->Dispatch(plan);
  old_link->Abandon("late");
  EXPECT_TRUE(observer_.ready);
  EXPECT_THAT(first_->plans, IsEmpty());
}

TEST_F(WorkerGroupTest, AbandonEndsTheEpoch) {
  Form(1);
  observer_.link->Abandon("results contradict each other");
  ExpectEpochOver("results contradict each other");
  EXPECT_EQ(observer_.lost.size(), 1u);
}

TEST_F(WorkerGroupTest, WordsAfterTheEndOfTheEpochAreIgnored) {
  Form(1);
  Dispatch(1);
  observer_.link->Abandon("enough");
  Answer(*first_, 1);
  group_.OnClosed(*first_, "hung up");
  EXPECT_THAT(observer_.results, IsEmpty());
  EXPECT_EQ(observer_.lost.size(), 1u);
}

TEST_F(WorkerGroupTest, RankThatLeavesWhileOthersAreAwaitedIsForgotten) {
  auto zero = Attach(0);
  group_.OnClosed(*zero, "hung up");
  EXPECT_EQ(group_.NotReadyReason(), "0 of 2 workers attached");
  Form(1);
  EXPECT_THAT(observer_.lost, IsEmpty());
}

TEST_F(WorkerGroupTest, RankThatLeavesBeforeReadyEndsTheEpochUnheard) {
  first_ = Attach(0);
  second_ = Attach(1);
  SayReady(*first_, 1);
  group_.OnClosed(*second_, "hung up");
  ExpectEpochOver("rank 1 hung up");
  EXPECT_THAT(observer_.lost, IsEmpty());
  Form(2);
}

TEST_F(WorkerGroupTest, SecondRankZeroIsRefusedAndDisturbsNobody) {
  Form(1);
  auto second_zero = Attach(0);
  ASSERT_TRUE(second_zero->end);
  EXPECT_THAT(std::string(second_zero->end->message()),
              HasSubstr("rank 0 is attached already"));
  EXPECT_TRUE(observer_.ready);
  EXPECT_FALSE(first_->end);
}

TEST_F(WorkerGroupTest, OtherModelIsRefusedWithBothFingerprints) {
  auto connection = Connect();
  SayHello(*connection, 0, "bb");
  ASSERT_TRUE(connection->end);
  EXPECT_EQ(connection->end->code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(connection->end->message()), HasSubstr("bb"));
  EXPECT_THAT(std::string(connection->end->message()), HasSubstr("aa"));
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("quire_worker_refusals_total 1"));
}

TEST_F(WorkerGroupTest, FirstWordOtherThanHelloIsRefused) {
  auto connection = Connect();
  Answer(*connection, 1);
  ASSERT_TRUE(connection->end);
  EXPECT_EQ(connection->end->code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(connection->end->message()), HasSubstr("StepResult"));
}

TEST_F(WorkerGroupTest, SilentStrangerIsSentAway) {
  Form(1);
  auto stranger = Connect();
  clock_.Advance(absl::Seconds(9));
  group_.CheckTimeouts();
  EXPECT_FALSE(stranger->end);
  clock_.Advance(absl::Seconds(1));
  group_.CheckTimeouts();
  ASSERT_TRUE(stranger->end);
  EXPECT_EQ(stranger->end->code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(observer_.ready);
}

TEST_F(WorkerGroupTest, HungRankEndsTheEpoch) {
  Form(1);
  Dispatch(1);
  Answer(*first_, 1);
  clock_.Advance(absl::Seconds(59));
  group_.CheckTimeouts();
  EXPECT_TRUE(observer_.ready);
  clock_.Advance(absl::Seconds(1));
  group_.CheckTimeouts();
  ExpectEpochOver("rank 1 did not answer step 1 within 1m");
}

TEST_F(WorkerGroupTest, IdleGroupNeverTimesOut) {
  Form(1);
  Dispatch(1);
  Answer(*first_, 1);
  Answer(*second_, 1);
  clock_.Advance(absl::Hours(100));
  group_.CheckTimeouts();
  EXPECT_TRUE(observer_.ready);
  Dispatch(2);
  group_.CheckTimeouts();
  EXPECT_TRUE(observer_.ready);
}

TEST_F(WorkerGroupTest, EveryAnswerStartsTheTimeForTheNext) {
  Form(1);
  Dispatch(1);
  Dispatch(2);
  clock_.Advance(absl::Seconds(40));
  Answer(*first_, 1);
  Answer(*second_, 1);
  clock_.Advance(absl::Seconds(40));
  group_.CheckTimeouts();
  EXPECT_TRUE(observer_.ready);
  clock_.Advance(absl::Seconds(20));
  group_.CheckTimeouts();
  ExpectEpochOver("did not answer step 2");
}

TEST_F(WorkerGroupTest, RankThatNeverGetsReadyEndsTheEpoch) {
  first_ = Attach(0);
  second_ = Attach(1);
  SayReady(*first_, 1);
  clock_.Advance(absl::Minutes(5));
  group_.CheckTimeouts();
  ExpectEpochOver("rank 1 did not become ready within 5m");
}

TEST_F(WorkerGroupTest, RanksWaitForOthersWithoutLimit) {
  auto zero = Attach(0);
  clock_.Advance(absl::Hours(100));
  group_.CheckTimeouts();
  EXPECT_FALSE(zero->end);
}

TEST_F(WorkerGroupTest, CloseEndsEverybodyNowAndLater) {
  Form(1);
  auto stranger = Connect();
  group_.Close("going down");
  ExpectEpochOver("going down");
  EXPECT_TRUE(stranger->end);
  EXPECT_TRUE(Connect()->end);
}

TEST_F(WorkerGroupTest, DirectoryAndMetricsFollowTheGroup) {
  Form(1);
  ASSERT_EQ(group_.Workers().size(), 2u);
  EXPECT_TRUE(group_.Workers()[1].up);
  EXPECT_EQ(group_.Workers()[1].instruction_set, "avx2");
  EXPECT_THAT(metrics_.Serialize(),
              HasSubstr("quire_worker_up{rank=\"1\"} 1\n"));
  EXPECT_THAT(metrics_.Serialize(),
              HasSubstr("quire_worker_kv_cache_bytes{rank=\"1\"} 1600\n"));
  group_.OnClosed(*second_, "hung up");
  ASSERT_EQ(group_.Workers().size(), 2u);
  EXPECT_FALSE(group_.Workers()[0].up);
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("quire_lost_epochs_total 1\n"));
  EXPECT_THAT(metrics_.Serialize(),
              HasSubstr("quire_worker_up{rank=\"1\"} 0\n"));
}

TEST_F(WorkerGroupTest, OfTooManyStrangersTheOldestGoes) {
  std::vector<std::shared_ptr<FakeConnection>> strangers;
  for (int i = 0; i < 256; ++i) strangers.push_back(Connect());
  EXPECT_FALSE(strangers[0]->end);
  strangers.push_back(Connect());
  ASSERT_TRUE(strangers[0]->end);
  EXPECT_EQ(strangers[0]->end->code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(strangers[1]->end);
  EXPECT_FALSE(strangers[256]->end);
}

TEST_F(WorkerGroupTest, SilentStrangersShutNoWorkerOut) {
  for (int i = 0; i < 1000; ++i) Connect();
  Form(1);
}

TEST_F(WorkerGroupTest, TextOfAFailureCanNeitherForgeNorFloodALog) {
  Form(1);
  Dispatch(1);
  worker::v1::WorkerMessage message;
  message.mutable_result()->set_epoch(1);
  message.mutable_result()->set_step_id(1);
  message.mutable_result()->set_status_code(13);
  message.mutable_result()->set_status_message("bad\nW \u009b" +
                                               std::string(1000, 'x'));
  group_.OnMessage(*first_, message);
  EXPECT_THAT(observer_.failure, StartsWith("bad\\x0aW \\x9bxxx"));
  EXPECT_LT(observer_.failure.size(), 210u);
}

// What breaks the protocol.
class ViolationTest : public WorkerGroupTest {
 protected:
  // Rank 0 answers step 1 of two that were sent, and then this.
  void AnswerAfterStepOne(uint64_t step, uint64_t epoch) {
    Form(1);
    Dispatch(1);
    Dispatch(2);
    Answer(*first_, 1);
    Answer(*first_, step, epoch);
  }
};

TEST_F(ViolationTest, RepeatedAnswerEndsTheEpoch) {
  AnswerAfterStepOne(1, /*epoch=*/1);
  ExpectEpochOver("rank 0 answered step 1 of epoch 1; it has answered 1 of 2");
}

TEST_F(ViolationTest, SkippedAnswerEndsTheEpoch) {
  AnswerAfterStepOne(3, /*epoch=*/1);
  ExpectEpochOver("rank 0 answered step 3 of epoch 1");
}

TEST_F(ViolationTest, AnswerOfAnotherEpochEndsTheEpoch) {
  AnswerAfterStepOne(2, /*epoch=*/77);
  ExpectEpochOver("rank 0 answered step 2 of epoch 77");
}

TEST_F(ViolationTest, AnswerToAPlanThatWasNeverSentEndsTheEpoch) {
  Form(1);
  Answer(*second_, 1);
  ExpectEpochOver("it has answered 0 of 0 steps");
}

TEST_F(ViolationTest, TokenBeyondTheVocabularyEndsTheEpoch) {
  Form(1);
  Dispatch(1);
  worker::v1::WorkerMessage message;
  message.mutable_result()->set_step_id(1);
  message.mutable_result()->set_epoch(1);
  message.mutable_result()->mutable_sampled()->add_token(100);
  group_.OnMessage(*first_, message);
  ExpectEpochOver("rank 0 sampled token 100, the vocabulary has 100");
}

TEST_F(ViolationTest, StepOfMoreThanADayEndsTheEpochUncounted) {
  Form(1);
  Dispatch(1);
  worker::v1::WorkerMessage message;
  message.mutable_result()->set_step_id(1);
  message.mutable_result()->set_epoch(1);
  message.mutable_result()->mutable_timings()->set_sample_ns(UINT64_MAX);
  group_.OnMessage(*second_, message);
  ExpectEpochOver("a part of step 1 took 18446744073709551615 ns");
  EXPECT_THAT(observer_.results, IsEmpty());
  EXPECT_THAT(metrics_.Serialize(),
              HasSubstr("quire_worker_busy_seconds_total{phase=\"sample\","
                        "rank=\"1\"} 0\n"));
}

TEST_F(ViolationTest, SecondHelloEndsTheEpoch) {
  Form(1);
  SayHello(*first_, 0);
  ExpectEpochOver("rank 0 sent Hello after its Hello");
}

TEST_F(ViolationTest, SecondReadyEndsTheEpoch) {
  Form(1);
  SayReady(*first_, 1);
  ExpectEpochOver("rank 0 sent Ready for epoch 1 out of turn");
}

TEST_F(ViolationTest, ReadyForAnotherEpochEndsTheEpoch) {
  first_ = Attach(0);
  second_ = Attach(1);
  SayReady(*first_, 9);
  ExpectEpochOver("rank 0 sent Ready for epoch 9 out of turn");
}

TEST_F(ViolationTest, ReadyBeforeWelcomeCostsTheRankItsPlaceOnly) {
  auto zero = Attach(0);
  SayReady(*zero, 0);
  EXPECT_TRUE(zero->end);
  Form(1);
}

}  // namespace
}  // namespace quire
