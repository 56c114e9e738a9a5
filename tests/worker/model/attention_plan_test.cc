#include "worker/model/attention_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace quire {
namespace {

constexpr int kBlockSize = 16;

struct TestRun {
  int first_slot;
  int num_rows;
  // Blocks at the beginning of its table, 4 a chunk; the others are its own.
  std::vector<uint32_t> shared = {};
};

Batch BatchOf(const std::vector<TestRun>& runs) {
  Batch batch;
  batch.run_rows.push_back(0);
  batch.run_blocks.push_back(0);
  uint32_t next_block = 1000;
  for (const TestRun& run : runs) {
    const int num_slots = run.first_slot + run.num_rows;
    for (int slot = run.first_slot; slot < num_slots; ++slot) {
      batch.tokens.push_back(0);
      batch.positions.push_back(slot);
      batch.slots.push_back(slot);
    }
    batch.run_rows.push_back(batch.num_rows());
    for (uint32_t block : run.shared) batch.blocks.emplace_back(block);
    for (int i = static_cast<int>(run.shared.size());
         i * kBlockSize < num_slots; ++i) {
      batch.blocks.emplace_back(next_block++);
    }
    batch.run_blocks.push_back(static_cast<int32_t>(batch.blocks.size()));
  }
  return batch;
}

int RunOf(const Batch& batch, int row) {
  const auto end = std::ranges::upper_bound(batch.run_rows, row);
  return static_cast<int>(end - batch.run_rows.begin()) - 1;
}

BlockId BlockAt(const Batch& batch, int run, int slot, int block_size) {
  return batch.blocks[batch.run_blocks[run] + slot / block_size];
}

// Every chunk that a row attends to belongs to exactly one unit of each head,
// which attends to it where the row's own table says.
void ExpectAllCoveredOnce(const AttentionPlan& plan, const Batch& batch,
                          int num_kv_heads, int block_size = kBlockSize) {
  std::map<std::tuple<int, int, int>, int> visits;  // By row, head and chunk.
  for (const AttentionUnit& unit : plan.units()) {
    std::map<int, int> next_chunk;  // By row.
    for (const AttentionSpan& span : plan.SpansOf(unit)) {
      EXPECT_GE(span.first_row, unit.first_row);
      EXPECT_LE(span.first_row + span.num_rows, unit.first_row + unit.num_rows);
      for (int i = span.first_row; i < span.first_row + span.num_rows; ++i) {
        const int row = plan.rows()[i];
        EXPECT_EQ(plan.slots()[i], batch.slots[row]);
        if (next_chunk.contains(row)) {
          EXPECT_EQ(next_chunk[row], span.first_chunk);
        }
        next_chunk[row] = span.last_chunk;
        for (int chunk = span.first_chunk; chunk < span.last_chunk; ++chunk) {
          if (chunk * 64 > batch.slots[row]) continue;
          ++visits[{row, unit.kv_head, chunk}];
          for (int slot = chunk * 64;
               slot <= std::min(chunk * 64 + 63, batch.slots[row]); ++slot) {
            EXPECT_EQ(BlockAt(batch, span.run, slot, block_size),
                      BlockAt(batch, RunOf(batch, row), slot, block_size));
          }
        }
      }
    }
  }
  size_t wanted = 0;
  for (size_t slot : batch.slots) wanted += (slot / 64 + 1) * num_kv_heads;
  EXPECT_EQ(visits.size(), wanted);
  for (const auto& [place, count] : visits) EXPECT_EQ(count, 1);
}

// (rows, first chunk, end) of the spans of the only unit.
std::vector<std::tuple<int, int, int>> SpansOfOnlyUnit(
    const AttentionPlan& plan) {
  EXPECT_EQ(plan.units().size(), 1);
  std::vector<std::tuple<int, int, int>> spans;
  for (const AttentionSpan& span : plan.SpansOf(plan.units().front())) {
    spans.emplace_back(span.num_rows, span.first_chunk, span.last_chunk);
  }
  return spans;
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
  const Batch batch = BatchOf({{10, 400}, {0, 5}});
  plan.Make(batch, kBlockSize);
  const AttentionUnit& first = plan.units().front();
  EXPECT_EQ(plan.slots()[first.first_row + first.num_rows - 1], 409);
  ExpectAllCoveredOnce(plan, batch, 2);
}

TEST(AttentionPlanTest, RowsAttendTogetherToWhatTheirSequencesShare) {
  AttentionPlan plan({.num_kv_heads = 1, .group = 3, .num_threads = 1});
  // All share a chunk, the first and the last another one.
  const Batch batch = BatchOf({{200, 1, {0, 1, 2, 3, 4, 5, 6, 7}},
                               {130, 1, {0, 1, 2, 3, 9, 10, 11, 12}},
                               {150, 3, {0, 1, 2, 3, 4, 5, 6, 7, 8}}});
  plan.Make(batch, kBlockSize);
  EXPECT_EQ(SpansOfOnlyUnit(plan),
            (std::vector<std::tuple<int, int, int>>{
                {5, 0, 1}, {4, 1, 2}, {3, 2, 3}, {1, 2, 4}, {1, 1, 3}}));
  ExpectAllCoveredOnce(plan, batch, 1);
}

TEST(AttentionPlanTest, AChunkThatIsSharedInPartIsNotShared) {
  AttentionPlan plan({.num_kv_heads = 1, .group = 1, .num_threads = 1});
  const Batch batch = BatchOf({{100, 1, {0, 1, 2}}, {70, 1, {0, 1, 2}}});
  plan.Make(batch, kBlockSize);
  EXPECT_EQ(plan.units().size(), 2);
  ExpectAllCoveredOnce(plan, batch, 1);
}

TEST(AttentionPlanTest, BlocksOfMoreThanAChunkAreSharedByChunks) {
  AttentionPlan plan({.num_kv_heads = 1, .group = 1, .num_threads = 1});
  Batch batch = BatchOf({{300, 1}, {290, 1}});
  batch.blocks = {BlockId(1), BlockId(2), BlockId(1), BlockId(3)};
  batch.run_blocks = {0, 2, 4};
  plan.Make(batch, /*block_size=*/192);
  EXPECT_EQ(SpansOfOnlyUnit(plan), (std::vector<std::tuple<int, int, int>>{
                                       {2, 0, 3}, {1, 3, 5}, {1, 3, 5}}));
  ExpectAllCoveredOnce(plan, batch, 1, /*block_size=*/192);
}

// However many they are: so that all threads have work, and states fit.
TEST(AttentionPlanTest, RowsThatShareFormUnitsOfBoundedSize) {
  AttentionPlan plan({.num_kv_heads = 3, .group = 3, .num_threads = 2});
  for (const int num_rows : {9, 64, 500}) {
    const Batch batch =
        BatchOf(std::vector<TestRun>(num_rows, {100, 1, {0, 1, 2, 3}}));
    plan.Make(batch, kBlockSize);
    EXPECT_GE(plan.units().size(), 6);
    EXPECT_LT(plan.units().size(), num_rows * 3);
    for (const AttentionUnit& unit : plan.units()) {
      EXPECT_LE(unit.num_rows * 3, plan.max_unit_query_heads());
    }
    ExpectAllCoveredOnce(plan, batch, 3);
  }
}

TEST(AttentionPlanTest, UnitsStayWithinTheirBound) {
  AttentionPlan plan({.num_kv_heads = 2, .group = 4, .num_threads = 8});
  const std::vector<Batch> batches = {
      BatchOf({{2000, 1}}), BatchOf({{2000, 1}, {2030, 10}}),
      BatchOf({{0, 300}}), BatchOf(std::vector<TestRun>(200, {50, 1})),
      BatchOf(std::vector<TestRun>(200, {100, 1, {0, 1, 2, 3}}))};
  for (const Batch& batch : batches) {
    plan.Make(batch, kBlockSize);
    EXPECT_LE(static_cast<int64_t>(plan.units().size()),
              plan.MaxUnits(batch.num_rows(), batch.slots.back() / 64 + 1));
    ExpectAllCoveredOnce(plan, batch, 2);
  }
}

}  // namespace
}  // namespace quire
