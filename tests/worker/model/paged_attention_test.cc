// That rows whose sequences share blocks get the bits that they get alone.

#include "worker/model/paged_attention.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/instruction_set.h"
#include "tests/kernels/kernel_testing.h"
#include "worker/executor/thread_pool.h"

namespace quire {
namespace {

constexpr int kBlockSize = 16;
constexpr int kHeadDim = 64;
constexpr int kNumHeads = 9;
constexpr int kNumKvHeads = 3;
constexpr int kStride = kNumHeads * kHeadDim;

// A run: its first row's slot, its rows, and its table.
struct TestRun {
  int slot;
  int num_rows;
  std::vector<BlockId> blocks;
};

Batch BatchOf(const std::vector<TestRun>& runs) {
  Batch batch;
  batch.run_rows.push_back(0);
  batch.run_blocks.push_back(0);
  for (const TestRun& run : runs) {
    for (int i = 0; i < run.num_rows; ++i) {
      batch.tokens.push_back(0);
      batch.positions.push_back(run.slot + i);
      batch.slots.push_back(run.slot + i);
    }
    batch.run_rows.push_back(batch.num_rows());
    batch.blocks.insert(batch.blocks.end(), run.blocks.begin(),
                        run.blocks.end());
    batch.run_blocks.push_back(static_cast<int32_t>(batch.blocks.size()));
  }
  return batch;
}

class PagedAttentionTest
    : public testing::TestWithParam<std::tuple<InstructionSet, KvFormat, int>> {
 protected:
  PagedAttentionTest()
      : pool_(std::get<2>(GetParam())),
        attention_(std::get<0>(GetParam()),
                   {.format = std::get<1>(GetParam()),
                    .num_layers = 1,
                    .num_kv_heads = kNumKvHeads,
                    .head_dim = kHeadDim},
                   kNumHeads, /*context_length=*/1024, &pool_) {
    EXPECT_TRUE(
        attention_.Allocate(kBlockSize, /*num_blocks=*/800, /*max_rows=*/256)
            .ok());
  }

  // `num_shared` blocks, then blocks of its own, all written.
  TestRun Run(int slot, int num_rows, int num_shared) {
    TestRun run = {.slot = slot, .num_rows = num_rows};
    for (int i = 0; i * kBlockSize < slot + num_rows; ++i) {
      run.blocks.push_back(BlockId(i < num_shared ? i : next_block_++));
    }
    const Batch batch = BatchOf({{0, slot + num_rows, run.blocks}});
    for (int row = 0; row < batch.num_rows(); ++row) {
      const std::vector<float> k = Random(kNumKvHeads * kHeadDim);
      const std::vector<float> v = Random(kNumKvHeads * kHeadDim);
      const bool is_written = row < num_shared * kBlockSize && has_shared_;
      if (is_written) continue;
      attention_.WriteRow(batch, /*run=*/0, row, /*layer=*/0, k.data(),
                          v.data());
    }
    has_shared_ = true;
    return run;
  }
  std::vector<float> Random(int size) {
    std::normal_distribution<float> normal;
    std::vector<float> values(size);
    std::ranges::generate(values, [&] { return normal(random_); });
    return values;
  }
  std::vector<float> Attend(const std::vector<TestRun>& runs,
                            std::vector<float> queries) {
    const Batch batch = BatchOf(runs);
    attention_.BeginStep(batch);
    attention_.Attend(batch, /*layer=*/0, queries.data(), kStride);
    return queries;
  }
  // Together they get what each gets alone.
  void ExpectSameBits(const std::vector<TestRun>& runs) {
    int num_rows = 0;
    for (const TestRun& run : runs) num_rows += run.num_rows;
    const std::vector<float> queries = Random(num_rows * kStride);
    const std::vector<float> together = Attend(runs, queries);
    auto first = queries.begin();
    auto expected = together.begin();
    for (const TestRun& run : runs) {
      const int size = run.num_rows * kStride;
      EXPECT_EQ(Attend({run}, {first, first + size}),
                std::vector<float>(expected, expected + size));
      first += size;
      expected += size;
    }
  }

  std::mt19937_64 random_{7};
  ThreadPool pool_;
  PagedAttention attention_;
  uint32_t next_block_ = 40;
  bool has_shared_ = false;
};

TEST_P(PagedAttentionTest, DecodesThatSharePrefixes) {
  std::vector<TestRun> runs;
  for (int i = 0; i < 20; ++i) runs.push_back(Run(330 + 7 * i, 1, 20));
  ExpectSameBits(runs);
}

TEST_P(PagedAttentionTest, ShortAndLongOnesInAnyOrder) {
  ExpectSameBits({Run(639, 1, 30), Run(200, 1, 9), Run(128, 2, 8),
                  Run(64, 1, 4), Run(500, 3, 30), Run(481, 1, 30),
                  Run(490, 40, 30), Run(700, 1, 0), Run(3, 1, 0)});
}

INSTANTIATE_TEST_SUITE_P(
    Forms, PagedAttentionTest,
    testing::Combine(testing::ValuesIn(SupportedInstructionSets()),
                     testing::Values(KvFormat::kF32, KvFormat::kBf16),
                     testing::Values(1, 2)));

}  // namespace
}  // namespace quire
