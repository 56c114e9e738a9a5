#include "scheduler/memory/host_block_pool.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(HostBlockPoolTest, HandsOutEachBlockOnceThenNone) {
  HostBlockPool pool(2);
  const HostBlockRef first = pool.Allocate();
  const HostBlockRef second = pool.Allocate();
  EXPECT_EQ(first->id(), HostBlockId(0));
  EXPECT_EQ(second->id(), HostBlockId(1));
  EXPECT_EQ(pool.Allocate(), nullptr);
  EXPECT_EQ(pool.num_used(), 2u);
  EXPECT_EQ(pool.num_free(), 0u);
}

TEST(HostBlockPoolTest, ABlockIsFreeAfterItsLastReference) {
  HostBlockPool pool(1);
  HostBlockRef one = pool.Allocate();
  HostBlockRef another = one;
  one.reset();
  EXPECT_EQ(pool.num_free(), 0u);
  another.reset();
  EXPECT_EQ(pool.num_free(), 1u);
  EXPECT_NE(pool.Allocate(), nullptr);
}

TEST(HostBlockPoolTest, AnEmptyPoolHasNothingToGive) {
  HostBlockPool pool(0);
  EXPECT_EQ(pool.Allocate(), nullptr);
  EXPECT_EQ(pool.num_blocks(), 0u);
}

TEST(HostBlockPoolDeathTest, NobodyRefersToABlockOfAPoolThatIsGone) {
  HostBlockRef kept;
  EXPECT_DEATH(
      {
        HostBlockPool pool(1);
        kept = pool.Allocate();
      },
      "num_used");
}

}  // namespace
}  // namespace quire
