#include "worker/executor/block_marks.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(BlockMarksTest, ABlockIsMarkedOnceUntilTheMarksAreCleared) {
  BlockMarks marks(3);
  EXPECT_FALSE(marks.Contains(BlockId(2)));
  EXPECT_TRUE(marks.Mark(BlockId(2)));
  EXPECT_FALSE(marks.Mark(BlockId(2)));
  EXPECT_TRUE(marks.Contains(BlockId(2)));
  EXPECT_FALSE(marks.Contains(BlockId(0)));
  marks.Clear();
  EXPECT_FALSE(marks.Contains(BlockId(2)));
  EXPECT_TRUE(marks.Mark(BlockId(2)));
}

}  // namespace
}  // namespace quire
