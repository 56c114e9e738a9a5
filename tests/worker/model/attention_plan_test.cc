#include "worker/model/attention_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

namespace quire {
namespace {

// Runs of (first slot, rows).
Batch BatchOf(const std::vector<std::pair<int, int>>& runs) {
  Batch batch;
  batch.run_rows.push_back(0);
  for (const auto& [first_slot, num_rows] : runs) {
    for (int i = 0; i < num_rows; ++i) {
      batch.tokens.push_back(0);
      batch.positions.push_back(first_slot + i);
      batch.slots.push_back(first_slot + i);
    }
    batch.run_rows.push_back(batch.num_rows());
  }
  return batch;
}

// Every chunk that a row attends to belongs to exactly one unit of each head.
void ExpectAllCoveredOnce(const AttentionPlan& plan, const Batch& batch,
                          int num_kv_heads) {
  std::map<std::tuple<int, int, int>, int> visits;  // By row, head and chunk.
  for (const AttentionUnit& unit : plan.units()) {
    EXPECT_GE(unit.first_row, batch.run_rows[unit.run]);
    EXPECT_LE(unit.first_row + unit.num_rows, batch.run_rows[unit.run + 1]);
    for (int row = unit.first_row; row < unit.first_row + unit.num_rows;
         ++row) {
      for (int chunk = unit.first_chunk; chunk < unit.last_chunk; ++chunk) {
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
  plan.Make(BatchOf({{5000, 1}}));
  EXPECT_FALSE(plan.is_split());
  EXPECT_EQ(plan.units().size(), 1);
}

TEST(AttentionPlanTest, ALoneLongRowIsSplitSoThatAllThreadsHaveWork) {
  AttentionPlan plan({.num_kv_heads = 3, .group = 3, .num_threads = 2});
  const Batch batch = BatchOf({{1000, 1}});
  plan.Make(batch);
  EXPECT_TRUE(plan.is_split());
  EXPECT_EQ(plan.units().size(), 12);  // 3 heads, 16 chunks in fours.
  ExpectAllCoveredOnce(plan, batch, 3);
}

TEST(AttentionPlanTest, ManyRowsAreNotSplit) {
  AttentionPlan plan({.num_kv_heads = 3, .group = 3, .num_threads = 2});
  const Batch batch = BatchOf({{1000, 1}, {7, 1}, {300, 1}});
  plan.Make(batch);
  EXPECT_FALSE(plan.is_split());
  EXPECT_EQ(plan.units().size(), 9);
  ExpectAllCoveredOnce(plan, batch, 3);
}

TEST(AttentionPlanTest, LaterRowsOfAPromptComeFirst) {
  AttentionPlan plan({.num_kv_heads = 2, .group = 3, .num_threads = 2});
  const Batch batch = BatchOf({{10, 100}, {0, 5}});
  plan.Make(batch);
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
    plan.Make(batch);
    EXPECT_LE(static_cast<int64_t>(plan.units().size()),
              plan.MaxUnits(batch.num_rows(), batch.slots.back() / 64 + 1));
    ExpectAllCoveredOnce(plan, batch, 2);
  }
}

}  // namespace
}  // namespace quire
