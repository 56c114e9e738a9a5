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

// --- Forks

class ForkTest : public BlockTableTest {
 protected:
  BlockTable child_{&pool_, /*block_size=*/4};
};

TEST_F(ForkTest, SharesTheBlocksOfItsSlots) {
  Fill(10);
  child_.Fork(table_, 9);
  EXPECT_EQ(child_.num_slots(), 9u);
  EXPECT_THAT(Ids(child_.blocks()), ElementsAre(0, 1, 2));
  EXPECT_EQ(pool_.ref_count(BlockId(2)), 2u);
  EXPECT_EQ(pool_.num_free(), 1u);
}

TEST_F(ForkTest, TheFirstWriteToASharedBlockCopiesThatBlock) {
  Fill(10);
  child_.Fork(table_, 10);
  EXPECT_EQ(child_.BlocksToReserve(11), 1u);
  ASSERT_TRUE(child_.Reserve(11));
  EXPECT_THAT(Ids(child_.blocks()), ElementsAre(0, 1, 3));
  const std::optional<CopyOnWrite> copy = child_.TakeCopy();
  ASSERT_TRUE(copy.has_value());
  EXPECT_EQ(copy->source.id(), BlockId(2));
  EXPECT_EQ(copy->destination, BlockId(3));
  EXPECT_EQ(copy->num_slots, 2u);
  EXPECT_FALSE(child_.TakeCopy().has_value());
  child_.Append(1);
}

TEST_F(ForkTest, WhoeverWritesLastNeedsNoCopy) {
  Fill(10);
  child_.Fork(table_, 10);
  ASSERT_TRUE(child_.Reserve(11));
  EXPECT_EQ(table_.BlocksToReserve(11), 0u);  // Nobody else has it now.
  ASSERT_TRUE(table_.Reserve(11));
  EXPECT_EQ(table_.copy(), nullptr);
}

TEST_F(ForkTest, TheParentCopiesWhereItWritesFirst) {
  Fill(10);
  child_.Fork(table_, 10);
  ASSERT_TRUE(table_.Reserve(11));
  EXPECT_EQ(table_.TakeCopy()->destination, BlockId(3));
  EXPECT_EQ(child_.BlocksToReserve(11), 0u);
}

TEST_F(ForkTest, FullBlocksAreNeverCopied) {
  Fill(8);
  child_.Fork(table_, 8);
  ASSERT_TRUE(child_.Reserve(9));
  ASSERT_TRUE(table_.Reserve(9));
  EXPECT_EQ(child_.copy(), nullptr);
  EXPECT_EQ(table_.copy(), nullptr);
}

TEST_F(ForkTest, ABlockThatCanBeFoundIsCopiedToo) {
  Fill(8);
  pool_.SetKept(BlockId(1), true);
  table_.Truncate(6);
  EXPECT_EQ(table_.BlocksToReserve(7), 1u);
  ASSERT_TRUE(table_.Reserve(7));
  EXPECT_EQ(table_.TakeCopy()->source.id(), BlockId(1));
  EXPECT_TRUE(pool_.is_cached(BlockId(1)));
}

TEST_F(ForkTest, ACopyIsNotMadeWithoutABlockForIt) {
  Fill(14);
  child_.Fork(table_, 14);
  EXPECT_FALSE(child_.Reserve(15));
  EXPECT_EQ(child_.copy(), nullptr);
  EXPECT_THAT(Ids(child_.blocks()), ElementsAre(0, 1, 2, 3));
}

TEST_F(ForkTest, WhatItHadReservedTakesThePlaceOfTheSharedTail) {
  ASSERT_TRUE(child_.Reserve(4));  // Block 0.
  Fill(6);                         // Blocks 1 and 2.
  child_.Fork(table_, 5);
  EXPECT_THAT(Ids(child_.blocks()), ElementsAre(1, 0));
  EXPECT_EQ(child_.copy()->source.id(), BlockId(2));
  EXPECT_EQ(child_.copy()->num_slots, 1u);
  EXPECT_EQ(child_.BlocksToReserve(8), 0u);
  EXPECT_EQ(table_.BlocksToReserve(8), 0u);
}

TEST_F(ForkTest, TheSourceOfACopyIsKeptUntilItIsMade) {
  ASSERT_TRUE(child_.Reserve(4));
  Fill(6);
  child_.Fork(table_, 5);
  table_.Release();
  EXPECT_EQ(pool_.ref_count(BlockId(2)), 0u);
  EXPECT_EQ(pool_.num_free(), 1u);
  child_.TakeCopy().reset();
  EXPECT_EQ(pool_.num_free(), 2u);
}

TEST_F(ForkTest, TruncatingTheCopyAwayMakesItNeedless) {
  ASSERT_TRUE(child_.Reserve(4));
  Fill(6);
  child_.Fork(table_, 5);
  child_.Truncate(4);
  EXPECT_EQ(child_.copy(), nullptr);
  EXPECT_EQ(pool_.pin_count(BlockId(2)), 0u);
}

TEST_F(ForkTest, ReadersAreToldWhatDiffersFromTheParentAsTheyKnowIt) {
  Fill(6);
  table_.TakeEdit();
  child_.Fork(table_, 5);
  ASSERT_TRUE(child_.Reserve(6));
  ASSERT_TRUE(table_.Reserve(9));  // Not told yet.
  child_.TellAsFork(table_);
  const std::optional<TableEdit> edit = child_.TakeEdit();
  ASSERT_TRUE(edit.has_value());
  EXPECT_EQ(edit->keep, 1u);
  EXPECT_THAT(Ids(edit->appended), ElementsAre(2));
}

TEST_F(ForkTest, AnEqualForkNeedsNoEdit) {
  Fill(8);
  table_.TakeEdit();
  child_.Fork(table_, 8);
  child_.TellAsFork(table_);
  EXPECT_FALSE(child_.TakeEdit().has_value());
}

TEST_F(ForkTest, AWrittenBlockIsAppendedAndReplaced) {
  Fill(8);
  child_.AppendShared(table_.blocks()[0].Share(), 4);
  EXPECT_EQ(child_.num_slots(), 4u);
  child_.TakeEdit();
  child_.Replace(0, table_.blocks()[1].Share());
  const std::optional<TableEdit> edit = child_.TakeEdit();
  EXPECT_EQ(edit->keep, 0u);
  EXPECT_THAT(Ids(edit->appended), ElementsAre(1));
  EXPECT_EQ(pool_.ref_count(BlockId(0)), 1u);
}

TEST_F(ForkTest, ABlockMayBeAppendedPartlyWritten) {
  Fill(8);
  child_.AppendShared(table_.blocks()[0].Share(), 3);
  EXPECT_EQ(child_.num_slots(), 3u);
  ASSERT_TRUE(child_.Reserve(4));
  EXPECT_EQ(child_.TakeCopy()->num_slots, 3u);
}

TEST_F(ForkTest, ContentIsAtTheSourceUntilItsCopyIsMade) {
  Fill(6);
  child_.Fork(table_, 6);
  ASSERT_TRUE(child_.Reserve(7));
  EXPECT_EQ(child_.ContentOf(0), BlockId(0));
  EXPECT_EQ(child_.blocks()[1].id(), BlockId(2));
  EXPECT_EQ(child_.ContentOf(1), BlockId(1));
  child_.TakeCopy();
  EXPECT_EQ(child_.ContentOf(1), BlockId(2));
}

TEST(BlockTableDeathTest, ASharedBlockIsNotWritten) {
  BlockPool pool(2);
  BlockTable table(&pool, 4);
  ASSERT_TRUE(table.Reserve(2));
  table.Append(2);
  BlockTable child(&pool, 4);
  child.Fork(table, 2);
  EXPECT_DEATH(child.Append(1), "NextSlotIsShared");
}

TEST(BlockTableDeathTest, SlotsAreReservedBeforeUse) {
  BlockPool pool(1);
  BlockTable table(&pool, 4);
  EXPECT_DEATH(table.Append(1), "capacity");
}

}  // namespace
}  // namespace quire
