#include "scheduler/cluster/worker_port.h"

#include <unistd.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scheduler/metrics/metric_registry.h"
#include "tests/scheduler/cluster/puppet_worker.h"
#include "tests/testing/puppets/manual_clock.h"

namespace quire {
namespace {

using ::quire::testing::PuppetWorker;
using ::testing::HasSubstr;
using worker::v1::SchedulerMessage;

// Long enough for the busiest machine; reached only by a failing test.
constexpr absl::Duration kLimit = absl::Seconds(30);

// Stands for the engine; lets a test wait for what it would hear.
class WaitingObserver final : public GroupObserver {
 public:
  void OnGroupReady(GroupShape, std::shared_ptr<GroupLink> link) override {
    absl::MutexLock lock(&mutex_);
    links_.push_back(std::move(link));
  }
  void OnResult(Rank, worker::v1::StepResult result) override {
    absl::MutexLock lock(&mutex_);
    results_.push_back(std::move(result));
  }
  void TakeTurns() override {}
  void OnGroupLost(Epoch, absl::Status reason) override {
    absl::MutexLock lock(&mutex_);
    losses_.push_back(std::string(reason.message()));
  }

  // Each returns the oldest that was not returned yet.
  std::shared_ptr<GroupLink> AwaitReady() { return Await(links_); }
  worker::v1::StepResult AwaitResult() { return Await(results_); }
  std::string AwaitLost() { return Await(losses_); }

 private:
  template <typename T>
  T Await(std::deque<T>& queue) {
    absl::MutexLock lock(&mutex_);
    const auto filled = [&queue] { return !queue.empty(); };
    if (!mutex_.AwaitWithTimeout(absl::Condition(&filled), kLimit)) {
      ADD_FAILURE() << "nothing came";
      return T();
    }
    T first = std::move(queue.front());
    queue.pop_front();
    return first;
  }

  absl::Mutex mutex_;
  std::deque<std::shared_ptr<GroupLink>> links_;
  std::deque<worker::v1::StepResult> results_;
  std::deque<std::string> losses_;
};

class WorkerPortTest : public ::testing::Test {
 protected:
  void Listen(uint32_t world_size = 1,
              const std::string& address = "127.0.0.1:0") {
    WorkerGroupOptions options;
    options.terms.model_fingerprint = "aa";
    options.terms.world_size = world_size;
    group_ =
        std::make_unique<WorkerGroup>(options, &clock_, &metrics_, &observer_);
    auto port = WorkerPort::Listen(address, group_.get());
    ASSERT_TRUE(port.ok()) << port.status();
    port_ = *std::move(port);
  }
  std::unique_ptr<PuppetWorker> Dial() {
    return std::make_unique<PuppetWorker>(port_->address());
  }
  void Dispatch(GroupLink& link, uint64_t step, uint64_t epoch) {
    worker::v1::StepPlan plan;
    plan.set_step_id(step);
    plan.set_epoch(epoch);
    link.Dispatch(plan);
  }

  ManualClock clock_;
  MetricRegistry metrics_;
  WaitingObserver observer_;
  std::unique_ptr<WorkerGroup> group_;
  std::unique_ptr<WorkerPort> port_;
};

TEST_F(WorkerPortTest, PlansAndResultsTravel) {
  Listen();
  auto worker = Dial();
  const uint64_t epoch = worker->Attach();
  auto link = observer_.AwaitReady();
  Dispatch(*link, 1, epoch);
  Dispatch(*link, 2, epoch);
  for (uint64_t step : {1, 2}) {
    const SchedulerMessage message = worker->Receive();
    EXPECT_EQ(message.plan().step_id(), step);
    worker->Answer(message.plan());
    EXPECT_EQ(observer_.AwaitResult().step_id(), step);
  }
}

TEST_F(WorkerPortTest, UnixSocketWorksAsWell) {
  // Not below TempDir(): a socket's path has at most 107 bytes.
  const std::string path = "/tmp/quire_port_" + std::to_string(getpid());
  Listen(1, "unix:" + path);
  EXPECT_EQ(port_->address(), "unix:" + path);
  Dial()->Attach();
  EXPECT_NE(observer_.AwaitReady(), nullptr);
}

TEST_F(WorkerPortTest, MismatchIsRefusedWithBothValues) {
  Listen(/*world_size=*/2);
  auto worker = Dial();
  worker->SayHello(0, /*world_size=*/3);
  const grpc::Status status = worker->AwaitEnd();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(status.error_message(),
            "the worker's world_size is 3, the scheduler's is 2");
}

TEST_F(WorkerPortTest, LostWorkerIsNoticedAndTheNextForms) {
  Listen();
  auto first = Dial();
  EXPECT_EQ(first->Attach(), 1u);
  observer_.AwaitReady();
  first->Die();
  EXPECT_THAT(observer_.AwaitLost(), HasSubstr("rank 0 hung up"));
  auto second = Dial();
  EXPECT_EQ(second->Attach(), 2u);
  EXPECT_NE(observer_.AwaitReady(), nullptr);
}

TEST_F(WorkerPortTest, TwoRanksAreOneGroup) {
  Listen(/*world_size=*/2);
  auto zero = Dial();
  auto one = Dial();
  zero->SayHello(0, 2);
  one->SayHello(1, 2);
  for (auto* worker : {zero.get(), one.get()}) {
    worker->SayReady(worker->Receive().welcome().epoch());
  }
  auto link = observer_.AwaitReady();
  Dispatch(*link, 1, 1);
  EXPECT_EQ(zero->Receive().plan().step_id(), 1u);
  EXPECT_EQ(one->Receive().plan().step_id(), 1u);
  zero->Die();
  const grpc::Status status = one->AwaitEnd();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(status.error_message(), "epoch 1 is over: rank 0 hung up");
}

TEST_F(WorkerPortTest, HungWorkerLosesItsEpoch) {
  Listen();
  auto worker = Dial();
  const uint64_t epoch = worker->Attach();
  auto link = observer_.AwaitReady();
  Dispatch(*link, 1, epoch);
  clock_.Advance(absl::Minutes(1));
  EXPECT_THAT(observer_.AwaitLost(), HasSubstr("did not answer step 1"));
  EXPECT_EQ(worker->AwaitEnd().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(WorkerPortTest, WorkerThatReadsNothingDoesNotBlockTheEngine) {
  Listen();
  auto worker = Dial();
  const uint64_t epoch = worker->Attach();
  auto link = observer_.AwaitReady();
  for (uint64_t step = 1; step <= 4; ++step) {
    worker::v1::StepPlan plan;
    plan.set_step_id(step);
    plan.set_epoch(epoch);
    plan.add_new_sequences()->mutable_tokens()->Resize(1'000'000, 1'000'000);
    link->Dispatch(plan);
  }
  link->Abandon("it does not read");
  EXPECT_EQ(observer_.AwaitLost(), "it does not read");
}

TEST_F(WorkerPortTest, PlanOfManyMegabytesTravels) {
  Listen();
  auto worker = Dial();
  const uint64_t epoch = worker->Attach();
  worker::v1::StepPlan plan;
  plan.set_step_id(1);
  plan.set_epoch(epoch);
  plan.add_new_sequences()->mutable_tokens()->Resize(10'000'000, 100'000);
  observer_.AwaitReady()->Dispatch(plan);
  EXPECT_EQ(worker->Receive().plan().new_sequences(0).tokens_size(),
            10'000'000);
}

TEST_F(WorkerPortTest, GarbageAsFirstWordIsRefused) {
  Listen();
  auto worker = Dial();
  worker->SayReady(1);
  const grpc::Status status = worker->AwaitEnd();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "the first message is Hello, not Ready");
}

TEST_F(WorkerPortTest, SilentStrangerIsSentAwayAndDisturbsNobody) {
  Listen();
  auto stranger = Dial();
  auto worker = Dial();
  worker->Attach();
  auto link = observer_.AwaitReady();
  clock_.Advance(absl::Seconds(10));
  EXPECT_EQ(stranger->AwaitEnd().error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  Dispatch(*link, 1, 1);
  EXPECT_EQ(worker->Receive().plan().step_id(), 1u);
}

TEST_F(WorkerPortTest, AbandonedGroupIsToldWhyAndMayReturn) {
  Listen();
  auto worker = Dial();
  worker->Attach();
  observer_.AwaitReady()->Abandon("results contradict each other");
  const grpc::Status status = worker->AwaitEnd();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(),
              HasSubstr("results contradict each other"));
  EXPECT_EQ(Dial()->Attach(), 2u);
}

TEST_F(WorkerPortTest, GoingDownTellsTheWorkers) {
  Listen();
  auto worker = Dial();
  worker->Attach();
  observer_.AwaitReady();
  port_.reset();
  const grpc::Status status = worker->AwaitEnd();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("going down"));
}

TEST_F(WorkerPortTest, AddressInUseIsOneClearSentence) {
  Listen();
  const auto second = WorkerPort::Listen(port_->address(), group_.get());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(
      std::string(second.status().message()),
      "cannot listen on " + port_->address() + ": Address already in use");
}

}  // namespace
}  // namespace quire
