#include "worker/model/attention_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

namespace quire {
namespace {

constexpr int kBlockSize = 16;

// Runs of (first slot, rows), the first `num_shared_blocks` of whose tables are
// the same.
Batch BatchOf(const std::vector<std::pair<int, int>>& runs,
              int num_shared_blocks = 0) {
  Batch batch;
  batch.run_rows.push_back(0);
  batch.run_blocks.push_back(0);
  uint32_t last_block = num_shared_blocks;
  for (const auto& [first_slot, num_rows] : runs) {
    for (int i = 0; i < num_rows; ++i) {
      batch.tokens.push_back(0);
      batch.positions.push_back(first_slot + i);
      batch.slots.push_back(first_slot + i);
    }
    batch.run_rows.push_back(batch.num_rows());
    for (int i = 0; i * kBlockSize < first_slot + num_rows; ++i) {
      batch.blocks.push_back(BlockId(i < num_shared_blocks ? i : last_block++));
    }
    batch.run_blocks.push_back(static_cast<int32_t>(batch.blocks.size()));
  }
  return batch;
}

// Every chunk that a row attends to belongs to exactly one unit of each head.
void ExpectAllCoveredOnce(const AttentionPlan& plan, const Batch& batch,
                          int num_kv_heads) {
  std::map<std::tuple<int, int, int>, int> visits;  // By row, head and chunk.
  for (const AttentionUnit& unit : plan.units()) {
    EXPECT_GE(unit.first_row, batch.run_rows[unit.run]);
    if (unit.num_shared_chunks == 0) {
      EXPECT_LE(unit.first_row + unit.num_rows, batch.run_rows[unit.run + 1]);
    }
    for (int row = unit.first_row; row < unit.first_row + unit.num_rows;
         ++row) {
      const int last_chunk = unit.num_shared_chunks > 0
                                 ? batch.slots[row] / 64 + 1
                                 : unit.last_chunk;
      for (int chunk = unit.first_chunk; chunk < last_chunk; ++chunk) {
        if (chunk * 64 <= batch.slots[row])
          ++visits[{row, unit.kv_head, chunk}];
      }
    }
  }
  size_t wanted = 0;
  for (size_t slot : batch.slots) wanted += (slot / 64 + 1) * num_kv_heads;
  EXPECT_EQ(visits.size(), wanted);
  for (const auto& [place, count] : visits) EXPECT_EQ(count, 1);
}

TEST(AttentionPlanTest, OneThreadNeverSplits) {
  AttentionPlan plan({.num_kv_heads = 1, .group = 1, .num_threads = 1});
  plan.Make(BatchOf({{5000, 1}}), kBlockSize);
  EXPECT_FALSE(plan.is_split());
  EXPECT_EQ(plan.units().size(), 1);
}

TEST(AttentionPlanTest, ALoneLongRowIsSplitSoThatAllThreadsHaveWork) {
  AttentionPlan plan({.num_kv_heads = 3, .group = 3, .num_threads = 2});
  const Batch batch = BatchOf({{1000, 1}});
  plan.Make(batch, kBlockSize);
  EXPECT_TRUE(plan.is_split());
  EXPECT_EQ(plan.units().size(), 12);  // 3 heads, 16 chunks in fours.
  ExpectAllCoveredOnce(plan, batch, 3);
}

TEST(AttentionPlanTest, ManyRowsAreNotSplit) {
  AttentionPlan plan({.num_kv_heads = 3, .group = 3, .num_threads = 2});
  const Batch batch = BatchOf({{1000, 1}, {7, 1}, {300, 1}});
  plan.Make(batch, kBlockSize);
  EXPECT_FALSE(plan.is_split());
  EXPECT_EQ(plan.units().size(), 9);
  ExpectAllCoveredOnce(plan, batch, 3);
}

TEST(AttentionPlanTest, LaterRowsOfAPromptComeFirst) {
  AttentionPlan plan({.num_kv_heads = 2, .group = 3, .num_threads = 2});
  const Batch batch = BatchOf({{10, 100}, {0, 5}});
  plan.Make(batch, kBlockSize);
  EXPECT_EQ(plan.units().front().first_row, 68);
  EXPECT_EQ(plan.units().front().num_rows, 32);
  ExpectAllCoveredOnce(plan, batch, 2);
}

TEST(AttentionPlanTest, UnitsStayWithinTheirBound) {
  AttentionPlan plan({.num_kv_heads = 2, .group = 4, .num_threads = 8});
  const std::vector<Batch> batches = {
      BatchOf({{2000, 1}}), BatchOf({{2000, 1}, {2030, 10}}),
      BatchOf({{0, 300}}),
      BatchOf(std::vector<std::pair<int, int>>(200, {50, 1}))};
  for (const Batch& batch : batches) {
    plan.Make(batch, kBlockSize);
    EXPECT_LE(static_cast<int64_t>(plan.units().size()),
              plan.MaxUnits(batch.num_rows(), batch.slots.back() / 64 + 1));
    ExpectAllCoveredOnce(plan, batch, 2);
  }
}

class SharedChunksTest : public testing::Test {
 protected:
  // (runs, shared chunks) of the units of the first KV head.
  std::vector<std::pair<int, int>> Groups(const Batch& batch) {
    plan_.Make(batch, kBlockSize);
    ExpectAllCoveredOnce(plan_, batch, 3);
    std::vector<std::pair<int, int>> groups;
    for (const AttentionUnit& unit : plan_.units()) {
      if (unit.kv_head > 0) continue;
      int num_runs = 0;
      while (unit.run + num_runs < batch.num_runs() &&
             batch.run_rows[unit.run + num_runs] <
                 unit.first_row + unit.num_rows) {
        ++num_runs;
      }
      groups.emplace_back(num_runs, unit.num_shared_chunks);
    }
    return groups;
  }
  using Pairs = std::vector<std::pair<int, int>>;

  AttentionPlan plan_{{.num_kv_heads = 3, .group = 3, .num_threads = 2}};
};

TEST_F(SharedChunksTest, RunsWithTheSameBlocksAreOneUnit) {
  // Eight rows of three heads over eight units: three rows each.
  EXPECT_EQ(Groups(BatchOf(Pairs(8, {1000, 1}), /*num_shared_blocks=*/20)),
            (Pairs{{3, 5}, {3, 5}, {2, 5}}));
  EXPECT_EQ(plan_.SharedSlots(plan_.units()[0])[2], 5 * 64 - 1);
}

TEST_F(SharedChunksTest, AUnitHasAsManyRowsAsKeepThreadsBusy) {
  EXPECT_EQ(Groups(BatchOf(Pairs(64, {1000, 1}), 20)),
            (Pairs{{24, 5}, {24, 5}, {16, 5}}));
}

TEST_F(SharedChunksTest, WhatIsNotAFullChunkIsNotShared) {
  EXPECT_EQ(Groups(BatchOf(Pairs(3, {1000, 1}), 3)),
            (Pairs{{1, 0}, {1, 0}, {1, 0}}));
  EXPECT_EQ(Groups(BatchOf(Pairs(3, {1000, 1}), 7)), (Pairs{{2, 1}, {1, 0}}));
}

TEST_F(SharedChunksTest, OnlySlotsBeforeTheFirstRowAreShared) {
  EXPECT_EQ(Groups(BatchOf({{1000, 1}, {127, 1}, {900, 1}}, 20)),
            (Pairs{{2, 1}, {1, 0}}));
  EXPECT_EQ(Groups(BatchOf({{1000, 1}, {128, 1}, {900, 1}}, 20)),
            (Pairs{{2, 2}, {1, 0}}));
}

TEST_F(SharedChunksTest, NoRunTakesFromWhatOthersShare) {
  Batch batch = BatchOf(Pairs(8, {1000, 1}), 20);
  // The third run has a block of its own in the second chunk.
  batch.blocks[batch.run_blocks[2] + 5] = BlockId(9999);
  EXPECT_EQ(Groups(batch), (Pairs{{2, 5}, {3, 1}, {3, 5}}));
}

TEST_F(SharedChunksTest, LongRunsStayAlone) {
  EXPECT_EQ(Groups(BatchOf({{1000, 40}, {1000, 40}}, 20)).size(), 4u);
  EXPECT_EQ(Groups(BatchOf({{1000, 40}, {1000, 40}}, 20))[0].second, 0);
}

}  // namespace
}  // namespace quire
