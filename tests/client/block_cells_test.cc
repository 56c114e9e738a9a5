#include "client/block_cells.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace quire {
namespace {

using quire::v1::BLOCK_STATE_ACTIVE;
using quire::v1::BLOCK_STATE_CACHED;
using quire::v1::BLOCK_STATE_FREE;
using quire::v1::WatchBlocksResponse;

char Active(int sixteenths) {
  return static_cast<char>(BLOCK_STATE_ACTIVE | ((sixteenths - 1) << 2));
}
constexpr char kFree = BLOCK_STATE_FREE;
constexpr char kCached = BLOCK_STATE_CACHED;

WatchBlocksResponse Frame(const std::string& blocks,
                          const std::vector<uint32_t>& owners = {}) {
  WatchBlocksResponse frame;
  frame.set_blocks(blocks);
  frame.mutable_owner()->Assign(owners.begin(), owners.end());
  return frame;
}

TEST(BlockCellsTest, ABlockIsACellWhereThereIsRoom) {
  const auto cells =
      CellsOf(Frame({Active(16), kCached, kFree}, {3, 0, 0}), 10);
  ASSERT_EQ(cells.size(), 3);
  EXPECT_EQ(cells[0].state, BLOCK_STATE_ACTIVE);
  EXPECT_EQ(cells[0].level, 8);
  EXPECT_EQ(cells[0].owner, 3);
  EXPECT_EQ(cells[1].state, BLOCK_STATE_CACHED);
  EXPECT_EQ(cells[2].state, BLOCK_STATE_FREE);
}

TEST(BlockCellsTest, LevelsAreEighthsRoundedUp) {
  const auto cells = CellsOf(
      Frame({Active(1), Active(2), Active(3), Active(15), Active(16)}), 5);
  EXPECT_EQ(cells[0].level, 1);
  EXPECT_EQ(cells[1].level, 1);
  EXPECT_EQ(cells[2].level, 2);
  EXPECT_EQ(cells[3].level, 8);
  EXPECT_EQ(cells[4].level, 8);
}

TEST(BlockCellsTest, NeighboursShareACellWhereThereIsLittleRoom) {
  const std::string blocks = {Active(16), kFree,    kCached, kFree,
                              kFree,      kFree,    kFree,   Active(8),
                              Active(8),  Active(8)};
  const auto cells = CellsOf(Frame(blocks), 3);
  EXPECT_EQ(BlocksPerCell(10, 3), 4);
  ASSERT_EQ(cells.size(), 3);
  EXPECT_EQ(cells[0].state, BLOCK_STATE_ACTIVE);
  EXPECT_EQ(cells[0].level, 2);
  EXPECT_EQ(cells[1].level, 1);
  EXPECT_EQ(cells[2].level, 4);
}

TEST(BlockCellsTest, ASharedCellIsCachedBeforeItIsFree) {
  EXPECT_EQ(CellsOf(Frame({kFree, kCached}), 1)[0].state, BLOCK_STATE_CACHED);
  EXPECT_EQ(CellsOf(Frame({kFree, kFree}), 1)[0].state, BLOCK_STATE_FREE);
}

TEST(BlockCellsTest, ASharedCellBelongsToTheLargestHolder) {
  const auto cells =
      CellsOf(Frame({Active(1), Active(16), Active(1)}, {2, 5, 2}), 1);
  EXPECT_EQ(cells[0].owner, 2);
}

TEST(BlockCellsTest, NoBlocksAreNoCells) {
  EXPECT_TRUE(CellsOf(Frame(""), 10).empty());
  EXPECT_EQ(BlocksPerCell(0, 10), 1);
}

}  // namespace
}  // namespace quire
