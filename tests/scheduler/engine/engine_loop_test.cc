#include "scheduler/engine/engine_loop.h"

#include <utility>

#include "gtest/gtest.h"
#include "tests/scheduler/engine/ask.h"
#include "tests/testing/puppets/manual_clock.h"
#include "tests/testing/puppets/request_probe.h"

namespace quire {
namespace {

class NoLink final : public GroupLink {
 public:
  void Dispatch(worker::v1::StepPlan& plan) override {}
  void Abandon(const std::string& reason) override {}
};

// What a loop tells its thread: when to turn again, and whether to go on. What
// a turn does is tested at Engine.
class EngineLoopTest : public testing::Test {
 protected:
  EngineLoopTest() {
    const GroupShape shape = {.epoch = Epoch(1),
                              .num_blocks = 8,
                              .block_size = 4,
                              .max_step_rows = 8};
    Hear(GroupReadyEvent{shape, std::make_shared<NoLink>()});
  }
  void Hear(EngineEvent event) {
    inbox_.Push(std::move(event));
    while (loop_.Turn()) {
    }
  }
  void Submit(absl::Time deadline) {
    Hear(SubmitEvent{
        MakeRequest(RequestId(1), {.deadline = deadline}, client_.mailbox())});
  }

  ManualClock clock_;
  MetricRegistry metrics_;
  Inbox<EngineEvent> inbox_;
  EngineLoop loop_{{}, &clock_, &metrics_, &inbox_};
  RequestProbe client_;
};

TEST_F(EngineLoopTest, NothingOpenWakesNobody) {
  EXPECT_EQ(loop_.wake_time(), absl::InfiniteFuture());
  Hear(DrainEvent{clock_.Now() + absl::Seconds(1), [] {}});
  EXPECT_EQ(loop_.wake_time(), absl::InfiniteFuture());
}

TEST_F(EngineLoopTest, WakesAtTheNextDeadline) {
  const absl::Time deadline = clock_.Now() + absl::Seconds(3);
  Submit(deadline);
  EXPECT_EQ(loop_.wake_time(), deadline);
}

TEST_F(EngineLoopTest, WakesAtTheLimitOfADrain) {
  Submit(clock_.Now() + absl::Seconds(3));
  const absl::Time limit = clock_.Now() + absl::Seconds(2);
  Hear(DrainEvent{limit, [] {}});
  EXPECT_EQ(loop_.wake_time(), limit);
}

TEST_F(EngineLoopTest, AResultIsDueFromTheFirstPlanOn) {
  EXPECT_EQ(loop_.waiting_since(), absl::InfiniteFuture());
  Submit(absl::InfiniteFuture());
  EXPECT_EQ(loop_.waiting_since(), clock_.Now());
}

TEST_F(EngineLoopTest, StopClosesWhatIsOpen) {
  Submit(absl::InfiniteFuture());
  EXPECT_FALSE(loop_.stopped());
  Hear(StopEvent());
  EXPECT_TRUE(loop_.stopped());
  EXPECT_EQ(client_.Collect().status.code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace quire
