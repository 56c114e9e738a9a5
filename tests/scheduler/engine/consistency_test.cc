#include "scheduler/engine/consistency.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/engine/scheduler_fixture.h"

namespace quire {
namespace {

using testing::HasSubstr;

// One request runs and has rows in flight, one waits; then the state is bent
// where an accessor lets it be.
class ConsistencyTest : public SchedulerFixture {
 protected:
  void SetUp() override {
    options_.max_running_sequences = 1;
    Start();
    Submit({.prompt = MakePrompt(1, 5), .max_tokens = 9});
    Submit({.prompt = MakePrompt(2, 5), .max_tokens = 9});
    PlanStep();
  }
  std::string Complaint() {
    return std::string(CheckConsistency(*scheduler_).message());
  }
  Sequence& Running() { return scheduler_->running()[0]->leader(); }
};

TEST_F(ConsistencyTest, FindsNothingWrongInOrdinaryStates) {
  EXPECT_TRUE(CheckConsistency(*scheduler_).ok());
  CommitStep();
  EXPECT_TRUE(CheckConsistency(*scheduler_).ok());
  scheduler_->EndEpoch();
  EXPECT_TRUE(CheckConsistency(*scheduler_).ok());
}

TEST_F(ConsistencyTest, FindsABlockThatNoTableNames) {
  const std::optional<BlockRef> stray = scheduler_->group()->pool().Allocate();
  EXPECT_THAT(Complaint(), HasSubstr("has 1 references, 0 entries"));
}

TEST_F(ConsistencyTest, FindsSlotsThatNobodyPlanned) {
  Running().table().Append(1);
  EXPECT_EQ(Complaint(),
            "sequence 0 of request 1 has 6 slots planned, 0 committed and 5 in "
            "flight");
  Running().table().Truncate(5);
}

TEST_F(ConsistencyTest, FindsARunningRequestWithoutBlocks) {
  Running().Leave();
  EXPECT_EQ(Complaint(), "request 1 runs without a block table");
  Running().Enter(&scheduler_->group()->pool(), 4, 5);
}

TEST_F(ConsistencyTest, FindsAWaitingRequestThatHoldsBlocks) {
  Sequence& waiting = (*scheduler_->waiting().begin())->leader();
  waiting.Enter(&scheduler_->group()->pool(), 4, 5);
  EXPECT_THAT(Complaint(), HasSubstr("references"));
  scheduler_->group()->pool();
  waiting.Leave();
}

}  // namespace
}  // namespace quire
