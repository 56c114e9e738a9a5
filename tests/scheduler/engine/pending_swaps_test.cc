#include "scheduler/engine/pending_swaps.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PendingSwapsTest : public testing::Test {
 protected:
  HostBlockRef Out(uint32_t block) {
    return swaps_.SwapOut(BlockId(block), pool_);
  }
  worker::v1::StepPlan Plan() {
    worker::v1::StepPlan plan;
    swaps_.MoveTo(plan);
    return plan;
  }

  HostBlockPool pool_{2};
  PendingSwaps swaps_;
};

TEST_F(PendingSwapsTest, BlocksGoOutToHostBlocksAndComeBack) {
  const HostBlockRef host = Out(7);
  EXPECT_THAT(Plan().swaps_out().source(), ElementsAre(7));
  swaps_.SwapIn(host, BlockId(3));
  const worker::v1::StepPlan plan = Plan();
  EXPECT_THAT(plan.swaps_out().source(), IsEmpty());
  EXPECT_THAT(plan.swaps_in().source(), ElementsAre(host->id().value()));
  EXPECT_THAT(plan.swaps_in().destination(), ElementsAre(3));
}

TEST_F(PendingSwapsTest, ABlockGoesOutOnceHoweverManyHoldIt) {
  const HostBlockRef one = Out(7);
  EXPECT_EQ(Out(7), one);
  EXPECT_EQ(swaps_.num_out(), 1u);
  const worker::v1::StepPlan plan = Plan();
  EXPECT_THAT(plan.swaps_out().source(), ElementsAre(7));
  EXPECT_THAT(plan.swaps_out().destination(), ElementsAre(one->id().value()));
}

TEST_F(PendingSwapsTest, TheNextPlanKnowsNothingOfIt) {
  const HostBlockRef one = Out(7);
  Plan();
  EXPECT_NE(Out(7), one);
}

TEST_F(PendingSwapsTest, WithoutAFreeHostBlockNothingGoesOut) {
  const HostBlockRef one = Out(7);
  const HostBlockRef two = Out(8);
  EXPECT_EQ(Out(9), nullptr);
  EXPECT_EQ(swaps_.num_out(), 2u);
}

TEST_F(PendingSwapsTest, ADestinationIsNotFreeBeforeItsPlan) {
  Out(7).reset();
  EXPECT_EQ(pool_.num_used(), 1u);
  Plan();
  EXPECT_EQ(pool_.num_used(), 0u);
}

TEST_F(PendingSwapsTest, ASourceIsNotFreeBeforeItsPlan) {
  HostBlockRef host = Out(7);
  Plan();
  swaps_.SwapIn(std::move(host), BlockId(3));
  EXPECT_EQ(pool_.num_used(), 1u);
  Plan();
  EXPECT_EQ(pool_.num_used(), 0u);
}

TEST_F(PendingSwapsTest, NothingIsLeftOfAnEpoch) {
  swaps_.SwapIn(Out(7), BlockId(3));
  swaps_.Clear();
  EXPECT_EQ(pool_.num_used(), 0u);
  EXPECT_FALSE(Plan().has_swaps_out());
}

}  // namespace
}  // namespace quire
