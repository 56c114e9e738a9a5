#include "scheduler/sim/memory_split.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(MemorySplitTest, IsOfWholeBlocks) {
  const ModelShape shape = {.num_layers = 1,
                            .kv_size = 5,
                            .num_parameters = 50,
                            .context_length = 100,
                            .num_slots = 170};  // Of 20 bytes.
  const MemorySplit split = SplitMemory(shape, /*block_size=*/16);
  EXPECT_EQ(split.weight_bytes, 100);
  EXPECT_EQ(split.block_bytes, 320);
  EXPECT_EQ(split.num_blocks, 10);
  EXPECT_EQ(split.num_slots, 160);
  EXPECT_EQ(split.longest_request, 100);
  EXPECT_EQ(split.longest_blocks, 7);
  EXPECT_EQ(split.num_longest, 1);
}

// The last token is never read, so it needs no slot.
TEST(MemorySplitTest, LimitsTheLongestRequest) {
  const ModelShape shape = {
      .num_layers = 1, .kv_size = 5, .context_length = 1000, .num_slots = 48};
  EXPECT_EQ(SplitMemory(shape, /*block_size=*/16).longest_request, 49);
}

}  // namespace
}  // namespace quire
