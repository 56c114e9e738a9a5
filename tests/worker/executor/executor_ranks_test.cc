// Executors of several ranks, each on a thread, that exchange through shared
// memory.

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/clock.h"
#include "common/ids.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_model.h"
#include "tests/testing/plan_writer.h"
#include "worker/comm/communicator.h"
#include "worker/comm/make_communicator.h"
#include "worker/executor/executor.h"
#include "worker/executor/thread_pool.h"

namespace quire {
namespace {

using ::testing::Each;
using testing::FakeModel;
using testing::NewSequenceOf;
using testing::PlanWriter;
using worker::v1::StepResult;

class ExecutorRanksTest : public ::testing::Test {
 protected:
  static constexpr int kRanks = 2;

  ExecutorRanksTest() {
    for (int rank = 0; rank < kRanks; ++rank) {
      ranks_.push_back(std::make_unique<RankUnderTest>(rank));
    }
  }

  std::vector<absl::Status> Begin(uint64_t epoch) {
    return Run([&](int rank) {
      return ranks_[rank]->executor.Begin(
          {.epoch = Epoch(epoch),
           .block_size = 4,
           .num_blocks = 16,
           .max_step_rows = 16,
           .rendezvous = ranks_[0]->communicator->rendezvous()});
    });
  }
  // By rank.
  std::vector<absl::Status> Execute(const PlanWriter& zero,
                                    const PlanWriter& one) {
    return Run([&](int rank) {
      return ranks_[rank]->executor.Execute((rank == 0 ? zero : one).plan(),
                                            &ranks_[rank]->result);
    });
  }
  const StepResult& result(int rank) { return ranks_[rank]->result; }

 private:
  struct RankUnderTest {
    explicit RankUnderTest(int rank)
        : communicator(*MakeCommunicator({.rank = Rank(rank),
                                          .num_ranks = kRanks,
                                          .deadline = absl::Hours(1)})) {}

    FakeModel model{/*vocabulary_size=*/64, /*context_length=*/64};
    ThreadPool pool{1};
    std::unique_ptr<Communicator> communicator;
    SystemClock clock;
    StepResult result;
    Executor executor{&model,
                      &pool,
                      communicator.get(),
                      &clock,
                      {.kv_cache_bytes = 1 << 20,
                       .host_kv_bytes = 1 << 20,
                       .checks_agreement = true}};
  };

  std::vector<absl::Status> Run(
      const std::function<absl::Status(int)>& function) {
    std::vector<absl::Status> statuses(kRanks);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < kRanks; ++rank) {
      threads.emplace_back([&, rank] { statuses[rank] = function(rank); });
    }
    for (std::thread& thread : threads) thread.join();
    return statuses;
  }

  std::vector<std::unique_ptr<RankUnderTest>> ranks_;
};

PlanWriter FirstPlan(const std::vector<uint32_t>& blocks, uint64_t epoch = 1) {
  return PlanWriter(1, epoch)
      .Add(NewSequenceOf(7, {1, 2, 3}, blocks))
      .Run({.sequence = 7, .num_rows = 3, .samples = true});
}

TEST_F(ExecutorRanksTest, AllRanksGoOnFromTheTokenOfRankZero) {
  ASSERT_THAT(Begin(1), Each(absl::OkStatus()));
  EXPECT_THAT(Execute(FirstPlan({5}), FirstPlan({5})), Each(absl::OkStatus()));
  EXPECT_EQ(result(0).sampled().token_size(), 1);
  EXPECT_EQ(result(1).sampled().token_size(), 0);
  // They compare the tokens of the rows, of which one is the sampled one.
  const PlanWriter next =
      PlanWriter(2).Run({.sequence = 7, .slot = 3, .samples = true});
  EXPECT_THAT(Execute(next, next), Each(absl::OkStatus()));
}

TEST_F(ExecutorRanksTest, RankWithAnotherBlockTableSaysSo) {
  ASSERT_THAT(Begin(1), Each(absl::OkStatus()));
  const auto statuses = Execute(FirstPlan({5}), FirstPlan({6}));
  EXPECT_EQ(statuses[1], absl::InternalError(
                             "step 1: rank 1 has another batch than rank 0"));
}

TEST_F(ExecutorRanksTest, RankThatRefusesAPlanIsNotWaitedFor) {
  ASSERT_THAT(Begin(1), Each(absl::OkStatus()));
  const auto statuses = Execute(FirstPlan({5}), FirstPlan({99}));
  EXPECT_EQ(statuses[1].code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(statuses[0].code(), absl::StatusCode::kUnavailable) << statuses[0];
}

TEST_F(ExecutorRanksTest, TheNextEpochStartsOver) {
  ASSERT_THAT(Begin(1), Each(absl::OkStatus()));
  Execute(FirstPlan({5}), FirstPlan({99}));
  ASSERT_THAT(Begin(2), Each(absl::OkStatus()));
  const PlanWriter plan = FirstPlan({5}, /*epoch=*/2);
  EXPECT_THAT(Execute(plan, plan), Each(absl::OkStatus()));
}

}  // namespace
}  // namespace quire
