#include "scheduler/memory/block_pool.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

std::vector<uint32_t> AllocationOrder(uint32_t num_blocks, uint64_t seed) {
  BlockPool pool(num_blocks, seed);
  std::vector<BlockRef> refs;
  std::vector<uint32_t> order;
  while (std::optional<BlockRef> ref = pool.Allocate()) {
    order.push_back(ref->id().value());
    refs.push_back(*std::move(ref));
  }
  return order;
}

TEST(BlockPoolTest, StartsWithEveryBlockFree) {
  const BlockPool pool(3);
  EXPECT_EQ(pool.num_blocks(), 3u);
  EXPECT_EQ(pool.num_free(), 3u);
  EXPECT_EQ(pool.num_active(), 0u);
  EXPECT_TRUE(pool.CheckConsistency().ok());
}

TEST(BlockPoolTest, HandsOutEachBlockOnceThenNone) {
  EXPECT_THAT(AllocationOrder(3, /*seed=*/0), testing::ElementsAre(0, 1, 2));
}

TEST(BlockPoolTest, AnEmptyPoolHasNothingToGive) {
  BlockPool pool(0);
  EXPECT_FALSE(pool.Allocate().has_value());
  EXPECT_TRUE(pool.CheckConsistency().ok());
}

TEST(BlockPoolTest, ABlockIsFreeAsSoonAsItsReferenceGoes) {
  BlockPool pool(1);
  {
    const std::optional<BlockRef> ref = pool.Allocate();
    EXPECT_EQ(pool.num_active(), 1u);
    EXPECT_FALSE(pool.Allocate().has_value());
  }
  EXPECT_EQ(pool.num_free(), 1u);
  EXPECT_TRUE(pool.Allocate().has_value());
}

TEST(BlockPoolTest, SharedBlockIsNotReusedUntilLastRelease) {
  BlockPool pool(1);
  std::optional<BlockRef> first = pool.Allocate();
  std::optional<BlockRef> second = first->Share();
  EXPECT_EQ(second->id(), first->id());
  EXPECT_EQ(pool.ref_count(first->id()), 2u);
  first.reset();
  EXPECT_FALSE(pool.Allocate().has_value());
  second.reset();
  EXPECT_TRUE(pool.Allocate().has_value());
}

TEST(BlockPoolTest, MovingAReferenceChangesNoCount) {
  BlockPool pool(2);
  std::optional<BlockRef> ref = pool.Allocate();
  BlockRef moved = *std::move(ref);
  ref.reset();
  EXPECT_EQ(pool.ref_count(moved.id()), 1u);
}

TEST(BlockPoolTest, AssigningAReferenceGivesTheOldBlockBack) {
  BlockPool pool(2);
  BlockRef ref = *pool.Allocate();
  const BlockId old = ref.id();
  ref = *pool.Allocate();
  EXPECT_EQ(pool.ref_count(old), 0u);
  EXPECT_EQ(pool.num_active(), 1u);
}

TEST(BlockPoolTest, TheBlockFreedLastIsHandedOutFirst) {
  BlockPool pool(3);
  std::optional<BlockRef> a = pool.Allocate();
  std::optional<BlockRef> b = pool.Allocate();
  const BlockId last = a->id();
  b.reset();
  a.reset();
  EXPECT_EQ(pool.Allocate()->id(), last);
}

TEST(BlockPoolTest, ASeedShufflesTheOrderAndRepeatsIt) {
  const std::vector<uint32_t> plain = AllocationOrder(50, /*seed=*/0);
  const std::vector<uint32_t> shuffled = AllocationOrder(50, /*seed=*/7);
  EXPECT_NE(shuffled, plain);
  EXPECT_EQ(shuffled, AllocationOrder(50, /*seed=*/7));
  EXPECT_NE(shuffled, AllocationOrder(50, /*seed=*/8));
  EXPECT_TRUE(std::ranges::is_permutation(shuffled, plain));
}

TEST(BlockPoolTest, APinKeepsABlockWithoutSharingIt) {
  BlockPool pool(1);
  std::optional<BlockRef> ref = pool.Allocate();
  std::optional<BlockPin> pin = ref->Pin();
  EXPECT_FALSE(ref->is_shared());
  ref.reset();
  EXPECT_EQ(pool.num_active(), 1u);
  EXPECT_FALSE(pool.Allocate().has_value());
  pin.reset();
  EXPECT_TRUE(pool.Allocate().has_value());
}

// --- Cached blocks

// Three blocks, of which `keep` have been used and are cached.
class CachedBlocksTest : public testing::Test {
 protected:
  CachedBlocksTest() {
    pool_.set_on_evict([this](BlockId id) { evicted_.push_back(id.value()); });
  }
  BlockId UseAndCache() {
    const BlockRef ref = *pool_.Allocate();
    pool_.SetKept(ref.id(), true);
    return ref.id();
  }
  BlockPool pool_{3};
  std::vector<uint32_t> evicted_;
};

TEST_F(CachedBlocksTest, AKeptBlockIsCachedWhenItsReferenceGoes) {
  const BlockId id = UseAndCache();
  EXPECT_TRUE(pool_.is_cached(id));
  EXPECT_EQ(pool_.num_cached(), 1u);
  EXPECT_EQ(pool_.num_free(), 2u);
  EXPECT_EQ(pool_.num_available(), 3u);
  EXPECT_TRUE(pool_.CheckConsistency().ok());
}

TEST_F(CachedBlocksTest, ACachedBlockComesBack) {
  const BlockId id = UseAndCache();
  {
    const BlockRef first = pool_.Revive(id);
    const BlockRef second = pool_.Revive(id);
    EXPECT_EQ(pool_.ref_count(id), 2u);
    EXPECT_EQ(pool_.num_cached(), 0u);
  }
  EXPECT_TRUE(pool_.is_cached(id));
}

TEST_F(CachedBlocksTest, FreeBlocksGoBeforeCachedOnes) {
  UseAndCache();
  const BlockRef a = *pool_.Allocate();
  const BlockRef b = *pool_.Allocate();
  EXPECT_EQ(pool_.TakeNumEvictions(), 0u);
  EXPECT_EQ(pool_.num_cached(), 1u);
}

TEST_F(CachedBlocksTest, TheOneUnusedForLongestIsEvictedFirst) {
  std::vector<BlockRef> refs;
  for (int i = 0; i < 3; ++i) {
    refs.push_back(*pool_.Allocate());
    pool_.SetKept(refs.back().id(), true);
  }
  refs.erase(refs.begin() + 1);
  refs.erase(refs.begin());
  { const BlockRef used_again = pool_.Revive(BlockId(1)); }
  const BlockRef first = *pool_.Allocate();
  const BlockRef second = *pool_.Allocate();
  EXPECT_THAT(evicted_, testing::ElementsAre(0, 1));
  EXPECT_EQ(pool_.TakeNumEvictions(), 2u);
  EXPECT_EQ(pool_.TakeNumEvictions(), 0u);
  EXPECT_FALSE(pool_.Allocate().has_value());
}

TEST_F(CachedBlocksTest, AForgottenBlockIsFree) {
  const BlockId id = UseAndCache();
  pool_.SetKept(id, false);
  EXPECT_EQ(pool_.num_free(), 3u);
  EXPECT_THAT(evicted_, testing::IsEmpty());
}

TEST_F(CachedBlocksTest, ABlockForgottenInUseIsFreeAfterwards) {
  {
    const BlockRef ref = *pool_.Allocate();
    pool_.SetKept(ref.id(), true);
    pool_.SetKept(ref.id(), false);
  }
  EXPECT_EQ(pool_.num_free(), 3u);
}

TEST(BlockPoolDeathTest, APoolDoesNotDieBeforeItsReferences) {
  EXPECT_DEATH(
      {
        std::optional<BlockRef> ref;
        BlockPool pool(1);
        ref = pool.Allocate();
      },
      "num_active");
}

}  // namespace
}  // namespace quire
