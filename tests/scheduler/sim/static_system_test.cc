#include "scheduler/sim/static_system.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/sim/system_fixture.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::Pair;

class StaticSystemTest : public SystemTest {
 protected:
  StaticSystem system_{/*context_length=*/32, /*num_slots=*/70, &cost_};
};

TEST_F(StaticSystemTest, ABatchStartsAndLeavesTogether) {
  Submit(system_, 1, 4, 3);
  Submit(system_, 2, 4, 1);
  Submit(system_, 3, 4, 1);
  RunToEnd(system_);
  EXPECT_THAT(When(Progress::kFirstToken),
              ElementsAre(Pair(1, 1), Pair(2, 1), Pair(3, 4)));
  EXPECT_THAT(When(Progress::kFinished),
              ElementsAre(Pair(1, 3), Pair(2, 3), Pair(3, 4)));
}

TEST_F(StaticSystemTest, PromptsArePaddedAndTheEndedAreComputedOn) {
  Submit(system_, 1, 6, 2);
  Submit(system_, 2, 4, 1);
  RunToEnd(system_);
  EXPECT_EQ(system_.totals().num_rows, 2 * 6 + 2);
}

TEST_F(StaticSystemTest, EachReservesTheContext) {
  Submit(system_, 1, 4, 6);
  Advance(system_);
  Step(system_);
  const SlotUse slots = system_.occupancy().slots;
  EXPECT_EQ(slots.total, 70);
  EXPECT_EQ(slots.allocated, 32);
  EXPECT_EQ(slots.tokens, 5);
  EXPECT_EQ(slots.reserved, 5);
  EXPECT_EQ(slots.over_reserved, 22);
}

TEST_F(StaticSystemTest, RefusesWhatIsLongerThanTheContext) {
  Submit(system_, 1, 30, 3);
  RunToEnd(system_);
  EXPECT_THAT(When(Progress::kRefused), ElementsAre(Pair(1, 0)));
}

}  // namespace
}  // namespace quire
