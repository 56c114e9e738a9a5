// Requests of different priorities before one scheduler.

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/engine/scheduler_fixture.h"

namespace quire {
namespace {

using testing::ElementsAre;

// Sequences are numbered in the order of Submit, from 1.
class PrioritiesTest : public SchedulerFixture {
 protected:
  void SetUp() override { options_.priority_head_start = absl::Seconds(30); }
  Client& SubmitOne(Priority priority, uint32_t max_tokens = 2) {
    return Submit({.prompt = MakePrompt(clients_.size(), 7),
                   .max_tokens = max_tokens,
                   .priority = priority});
  }
  void Step() {
    PlanStep();
    CommitStep();
  }
  std::vector<RequestId> Waiting() const {
    std::vector<RequestId> ids;
    for (const RequestState* request : scheduler_->waiting()) {
      ids.push_back(request->id());
    }
    return ids;
  }
  void ExpectAllServed() {
    RunToEnd();
    for (Client& client : clients_) ExpectServed(client);
    ExpectIdle();
  }
};

TEST_F(PrioritiesTest, HigherOnesPassThoseThatWait) {
  options_.max_running_sequences = 1;
  Start();
  SubmitOne(Priority::kNormal);
  Step();
  const RequestId low = SubmitOne(Priority::kLow).id;
  const RequestId normal = SubmitOne(Priority::kNormal).id;
  const RequestId high = SubmitOne(Priority::kHigh).id;
  EXPECT_THAT(Waiting(), ElementsAre(high, normal, low));
  Step();
  EXPECT_THAT(Runs().sequence(), ElementsAre(4));
  CommitStep();
  ExpectAllServed();
}

TEST_F(PrioritiesTest, AfterTheHeadStartNobodyPasses) {
  options_.max_running_sequences = 1;
  Start();
  SubmitOne(Priority::kNormal);
  Step();
  const RequestId low = SubmitOne(Priority::kLow).id;
  now_ += absl::Seconds(31);
  const RequestId normal = SubmitOne(Priority::kNormal).id;
  EXPECT_THAT(Waiting(), ElementsAre(low, normal));
  ExpectAllServed();
}

// One of high priority arrives with each that ends.
TEST_F(PrioritiesTest, ALowOneIsServedHoweverManyHigherOnesArrive) {
  options_.max_running_sequences = 1;
  Start();
  SubmitOne(Priority::kHigh);
  Client& low = SubmitOne(Priority::kLow);
  while (low.Collect().tokens.empty() && clients_.size() < 100) {
    SubmitOne(Priority::kHigh);
    Step();
    Step();
    now_ += absl::Seconds(5);
  }
  EXPECT_EQ(clients_.size(), 2u + 14u);  // Within two head starts: 60 s.
  ExpectAllServed();
}

TEST_F(PrioritiesTest, TheLowestGivesUpItsBlocks) {
  shape_.num_blocks = 5;
  Start();
  const RequestId low = SubmitOne(Priority::kLow, 12).id;
  const RequestId normal = SubmitOne(Priority::kNormal, 12).id;
  while (preemptions() == 0) Step();
  EXPECT_EQ(scheduler_->running()[0]->id(), normal);
  EXPECT_THAT(Waiting(), ElementsAre(low));
  ExpectAllServed();
}

}  // namespace
}  // namespace quire
