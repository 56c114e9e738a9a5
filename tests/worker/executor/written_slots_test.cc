#include "worker/executor/written_slots.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace quire {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

class WrittenSlotsTest : public ::testing::Test {
 protected:
  WrittenSlots slots_{/*block_size=*/4, /*num_blocks=*/8};
  const std::vector<BlockId> table_ = {BlockId(7), BlockId(2), BlockId(5)};
};

TEST_F(WrittenSlotsTest, NothingIsWrittenAtFirst) {
  EXPECT_EQ(slots_.in(BlockId(7)), 0);
  EXPECT_EQ(slots_.Leading(table_, kNoLimit), 0);
  EXPECT_EQ(slots_.Leading({}, kNoLimit), 0);
}

TEST_F(WrittenSlotsTest, TableIsWrittenUpToItsFirstGap) {
  slots_.Set(BlockId(7), 4);
  slots_.Set(BlockId(2), 3);
  slots_.Set(BlockId(5), 4);
  EXPECT_EQ(slots_.Leading(table_, kNoLimit), 7);
  slots_.Set(BlockId(2), 4);
  EXPECT_EQ(slots_.Leading(table_, kNoLimit), 12);
}

TEST_F(WrittenSlotsTest, LastWriteEndsWhatABlockHolds) {
  slots_.Set(BlockId(7), 4);
  slots_.Set(BlockId(7), 1);
  EXPECT_EQ(slots_.Leading(table_, kNoLimit), 1);
}

TEST_F(WrittenSlotsTest, BlocksBehindTheLimitAreNotLookedAt) {
  for (const BlockId block : table_) slots_.Set(block, 4);
  EXPECT_EQ(slots_.Leading(table_, 5), 8);
}

}  // namespace
}  // namespace quire
