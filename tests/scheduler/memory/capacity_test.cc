#include "scheduler/memory/capacity.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(CapacityTest, SlotsFillWholeBlocks) {
  EXPECT_EQ(BlocksForSlots(0, 16), 0u);
  EXPECT_EQ(BlocksForSlots(1, 16), 1u);
  EXPECT_EQ(BlocksForSlots(16, 16), 1u);
  EXPECT_EQ(BlocksForSlots(17, 16), 2u);
}

TEST(CapacityTest, TheLastTokenNeedsNoSlot) {
  EXPECT_EQ(SlotsForRequest(17), 16u);
  EXPECT_EQ(BlocksForRequest(17, 16), 1u);
  EXPECT_EQ(BlocksForRequest(18, 16), 2u);
}

TEST(CapacityTest, LargeCountsDoNotWrap) {
  EXPECT_EQ(BlocksForRequest(uint64_t{1} << 33, 16), uint64_t{1} << 29);
}

}  // namespace
}  // namespace quire
