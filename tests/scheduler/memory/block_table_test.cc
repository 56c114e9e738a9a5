#include "scheduler/memory/block_table.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Four blocks of four slots, handed out as 0, 1, 2, 3.
class BlockTableTest : public testing::Test {
 protected:
  std::vector<uint32_t> Ids(std::span<const BlockRef> blocks) {
    std::vector<uint32_t> ids;
    for (const BlockRef& block : blocks) ids.push_back(block.id().value());
    return ids;
  }
  void Fill(uint32_t num_slots) {
    ASSERT_TRUE(table_.Reserve(table_.num_slots() + num_slots));
    table_.Append(num_slots);
  }

  BlockPool pool_{4};
  BlockTable table_{&pool_, /*block_size=*/4};
};

TEST_F(BlockTableTest, ReservesWholeBlocks) {
  EXPECT_EQ(table_.BlocksToReserve(5), 2u);
  EXPECT_TRUE(table_.Reserve(5));
  EXPECT_EQ(table_.num_blocks(), 2u);
  EXPECT_EQ(table_.capacity(), 8u);
  EXPECT_EQ(table_.num_slots(), 0u);
}

TEST_F(BlockTableTest, ReservingWhatIsThereTakesNothing) {
  ASSERT_TRUE(table_.Reserve(5));
  EXPECT_EQ(table_.BlocksToReserve(8), 0u);
  EXPECT_TRUE(table_.Reserve(8));
  EXPECT_EQ(pool_.num_free(), 2u);
}

TEST_F(BlockTableTest, ReservesAllOrNothing) {
  ASSERT_TRUE(table_.Reserve(4));
  EXPECT_FALSE(table_.Reserve(17));
  EXPECT_EQ(table_.num_blocks(), 1u);
  EXPECT_EQ(pool_.num_free(), 3u);
}

TEST_F(BlockTableTest, TruncateKeepsTheBlockOfTheLastSlot) {
  Fill(13);
  table_.Truncate(5);
  EXPECT_EQ(table_.num_slots(), 5u);
  EXPECT_THAT(Ids(table_.blocks()), ElementsAre(0, 1));
}

TEST_F(BlockTableTest, TruncateGivesReservedBlocksBack) {
  Fill(3);
  ASSERT_TRUE(table_.Reserve(16));
  table_.Truncate(3);
  EXPECT_EQ(pool_.num_free(), 3u);
}

TEST_F(BlockTableTest, ReleaseFreesTheTailFirst) {
  Fill(16);
  table_.Release();
  EXPECT_EQ(pool_.num_free(), 4u);
  EXPECT_EQ(pool_.Allocate()->id(), BlockId(0));  // Freed last.
}

TEST_F(BlockTableTest, ATableGivesEverythingBackWhenItGoes) {
  {
    BlockTable table(&pool_, 4);
    ASSERT_TRUE(table.Reserve(9));
  }
  EXPECT_EQ(pool_.num_free(), 4u);
}

TEST_F(BlockTableTest, AnEditTellsWhatWasAppended) {
  EXPECT_FALSE(table_.TakeEdit().has_value());
  Fill(8);
  const std::optional<TableEdit> edit = table_.TakeEdit();
  ASSERT_TRUE(edit.has_value());
  EXPECT_EQ(edit->keep, 0u);
  EXPECT_THAT(Ids(edit->appended), ElementsAre(0, 1));
  EXPECT_FALSE(table_.TakeEdit().has_value());
}

TEST_F(BlockTableTest, UsingReservedSlotsIsNoEdit) {
  ASSERT_TRUE(table_.Reserve(8));
  table_.TakeEdit();
  table_.Append(8);
  EXPECT_FALSE(table_.TakeEdit().has_value());
}

TEST_F(BlockTableTest, SeveralChangesAreOneEdit) {
  Fill(12);
  table_.TakeEdit();
  table_.Truncate(4);
  Fill(1);
  table_.Truncate(4);
  Fill(8);
  const std::optional<TableEdit> edit = table_.TakeEdit();
  ASSERT_TRUE(edit.has_value());
  EXPECT_EQ(edit->keep, 1u);
  EXPECT_EQ(edit->appended.size(), 2u);
}

TEST_F(BlockTableTest, TruncationAloneIsAnEdit) {
  Fill(12);
  table_.TakeEdit();
  table_.Truncate(4);
  const std::optional<TableEdit> edit = table_.TakeEdit();
  ASSERT_TRUE(edit.has_value());
  EXPECT_EQ(edit->keep, 1u);
  EXPECT_THAT(Ids(edit->appended), IsEmpty());
}

TEST_F(BlockTableTest, WhatWasNeverToldNeedsNoEdit) {
  Fill(12);
  table_.Release();
  EXPECT_FALSE(table_.TakeEdit().has_value());
}

TEST(BlockTableDeathTest, SlotsAreReservedBeforeUse) {
  BlockPool pool(1);
  BlockTable table(&pool, 4);
  EXPECT_DEATH(table.Append(1), "capacity");
}

}  // namespace
}  // namespace quire
