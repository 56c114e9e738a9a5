#include "scheduler/sim/orca_system.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/sim/system_fixture.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::Pair;

class OrcaSystemTest : public SystemTest {
 protected:
  OrcaSystem Make(Reservation reservation, uint64_t num_slots = 64) {
    return OrcaSystem(reservation, /*context_length=*/32, num_slots, &cost_);
  }
};

TEST_F(OrcaSystemTest, SequencesJoinAndLeaveBetweenSteps) {
  OrcaSystem system = Make(Reservation::kOracle);
  Submit(system, 1, 4, 3);
  Submit(system, 2, 4, 1);
  Advance(system);
  Step(system);
  Submit(system, 3, 4, 1);
  RunToEnd(system);
  // The third comes while the second step is computed.
  EXPECT_THAT(When(Progress::kFirstToken),
              ElementsAre(Pair(1, 1), Pair(2, 1), Pair(3, 3)));
  EXPECT_THAT(When(Progress::kFinished),
              ElementsAre(Pair(1, 3), Pair(2, 1), Pair(3, 3)));
  EXPECT_EQ(system.totals().num_steps, 3);
  EXPECT_EQ(system.totals().num_rows, 4 + 4 + 1 + 1 + 4);
}

TEST_F(OrcaSystemTest, MaxReservesTheContext) {
  OrcaSystem system = Make(Reservation::kMax);
  for (uint64_t key = 1; key <= 3; ++key) Submit(system, key, 4, 6);
  Advance(system);
  Step(system);
  const Occupancy occupancy = system.occupancy();
  EXPECT_EQ(occupancy.num_running, 2);
  EXPECT_EQ(occupancy.slots.total, 64);
  EXPECT_EQ(occupancy.slots.allocated, 64);
  EXPECT_EQ(occupancy.slots.tokens, 2 * 5);
  EXPECT_EQ(occupancy.slots.reserved, 2 * 5);
  EXPECT_EQ(occupancy.slots.over_reserved, 2 * 22);
}

TEST_F(OrcaSystemTest, Pow2RoundsTheOutputUp) {
  OrcaSystem system = Make(Reservation::kPow2);
  Submit(system, 1, 4, 5);
  Advance(system);
  const SlotUse slots = system.occupancy().slots;
  EXPECT_EQ(slots.over_reserved, 3);
  // 12 slots are asked for; the buddy system gives 16.
  EXPECT_EQ(slots.allocated, 16);
}

TEST_F(OrcaSystemTest, OracleReservesWhatIsUsed) {
  OrcaSystem system = Make(Reservation::kOracle);
  Submit(system, 1, 4, 5);
  Advance(system);
  const SlotUse slots = system.occupancy().slots;
  EXPECT_EQ(slots.over_reserved, 0);
  EXPECT_EQ(slots.tokens + slots.reserved, 9);
}

TEST_F(OrcaSystemTest, SequencesOfARequestHaveSlotsOfTheirOwn) {
  OrcaSystem system = Make(Reservation::kMax);
  Submit(system, 1, 4, 2, /*num_sequences=*/3);
  Advance(system);
  EXPECT_EQ(system.occupancy().num_running, 1);
  EXPECT_EQ(system.occupancy().slots.allocated, 2 * 32);
  EXPECT_EQ(system.occupancy().slots.saved, 0);
  RunToEnd(system);
  // Two fit at once; it ends with the third.
  EXPECT_THAT(When(Progress::kFinished), ElementsAre(Pair(1, 4)));
  EXPECT_EQ(system.totals().num_rows, 3 * (4 + 1));
}

TEST_F(OrcaSystemTest, NobodyOvertakesTheHeadOfTheQueue) {
  OrcaSystem system = Make(Reservation::kOracle, /*num_slots=*/32);
  Submit(system, 1, 15, 2);
  Submit(system, 2, 15, 2);
  Submit(system, 3, 1, 1);
  RunToEnd(system);
  EXPECT_THAT(When(Progress::kFirstToken),
              ElementsAre(Pair(1, 1), Pair(2, 3), Pair(3, 5)));
}

TEST_F(OrcaSystemTest, RefusesWhatNeverFits) {
  OrcaSystem system = Make(Reservation::kOracle, /*num_slots=*/48);
  Submit(system, 1, 30, 3);
  Submit(system, 2, 30, 2);
  RunToEnd(system);
  EXPECT_THAT(When(Progress::kRefused), ElementsAre(Pair(1, 0)));
  EXPECT_THAT(When(Progress::kFinished), ElementsAre(Pair(2, 2)));
}

}  // namespace
}  // namespace quire
