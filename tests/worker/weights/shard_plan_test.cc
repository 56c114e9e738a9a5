#include "worker/weights/shard_plan.h"

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

namespace quire {

void PrintTo(const ShardRange& range, std::ostream* out) {
  *out << range.begin << " to " << range.end;
}
void PrintTo(const ShardPlan& plan, std::ostream* out) {
  for (const ShardRange& range :
       {plan.heads, plan.kv_heads, plan.intermediate, plan.vocabulary}) {
    PrintTo(range, out);
    *out << "; ";
  }
}

namespace {

ModelConfig Config(int64_t num_heads, int64_t num_kv_heads,
                   int64_t intermediate_size, int64_t vocabulary_size) {
  ModelConfig config;
  config.num_heads = num_heads;
  config.num_kv_heads = num_kv_heads;
  config.intermediate_size = intermediate_size;
  config.vocabulary_size = vocabulary_size;
  return config;
}

std::vector<ShardPlan> AllRanks(const ModelConfig& config, int num_ranks) {
  const auto plans = DivideModel(config, num_ranks);
  EXPECT_TRUE(plans.ok()) << plans.status();
  return *plans;
}

std::string Refusal(const ModelConfig& config, int num_ranks) {
  const auto plan = ShardPlan::Make(config, 0, num_ranks);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(plan.status().message());
}

// SmolLM2-135M.
const ModelConfig kNineHeads = Config(9, 3, 1536, 49152);
// A KV head for two query heads.
const ModelConfig kEightHeads = Config(8, 4, 512, 1000);

TEST(ShardPlanTest, TheOnlyRankHasEverything) {
  EXPECT_EQ(AllRanks(kNineHeads, 1),
            (std::vector<ShardPlan>{{.heads = {0, 9},
                                     .kv_heads = {0, 3},
                                     .intermediate = {0, 1536},
                                     .vocabulary = {0, 49152}}}));
}

TEST(ShardPlanTest, TwoRanksDivideThreeGroupsUnevenly) {
  EXPECT_EQ(AllRanks(kNineHeads, 2),
            (std::vector<ShardPlan>{{.heads = {0, 6},
                                     .kv_heads = {0, 2},
                                     .intermediate = {0, 768},
                                     .vocabulary = {0, 24576}},
                                    {.heads = {6, 9},
                                     .kv_heads = {2, 3},
                                     .intermediate = {768, 1536},
                                     .vocabulary = {24576, 49152}}}));
}

TEST(ShardPlanTest, ThreeRanksHaveAGroupEach) {
  EXPECT_EQ(AllRanks(kNineHeads, 3),
            (std::vector<ShardPlan>{{.heads = {0, 3},
                                     .kv_heads = {0, 1},
                                     .intermediate = {0, 512},
                                     .vocabulary = {0, 16384}},
                                    {.heads = {3, 6},
                                     .kv_heads = {1, 2},
                                     .intermediate = {512, 1024},
                                     .vocabulary = {16384, 32768}},
                                    {.heads = {6, 9},
                                     .kv_heads = {2, 3},
                                     .intermediate = {1024, 1536},
                                     .vocabulary = {32768, 49152}}}));
}

TEST(ShardPlanTest, RanksThatOutnumberKvHeadsDivideTheQueryHeadsOfOne) {
  const std::vector<ShardPlan> plans = AllRanks(kEightHeads, 8);
  for (int rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(plans[rank].heads, (ShardRange{rank, rank + 1})) << rank;
    EXPECT_EQ(plans[rank].kv_heads, (ShardRange{rank / 2, rank / 2 + 1}));
  }
  EXPECT_EQ(plans[0].vocabulary, (ShardRange{0, 128}));
  EXPECT_EQ(plans[7].vocabulary, (ShardRange{896, 1000}));
}

TEST(ShardPlanTest, OneRankMoreThanKvHeadsReplicatesOnlyOne) {
  const std::vector<ShardPlan> plans = AllRanks(kEightHeads, 5);
  std::vector<ShardRange> heads;
  for (const ShardPlan& plan : plans) heads.push_back(plan.heads);
  EXPECT_EQ(heads,
            (std::vector<ShardRange>{{0, 1}, {1, 2}, {2, 4}, {4, 6}, {6, 8}}));
  EXPECT_EQ(plans[1].kv_heads, (ShardRange{0, 1}));
  EXPECT_EQ(plans[4].kv_heads, (ShardRange{3, 4}));
}

TEST(ShardPlanTest, ColumnsAndTokensAreSplitAtMultiplesOfThirtyTwo) {
  const std::vector<ShardPlan> plans = AllRanks(kEightHeads, 3);
  EXPECT_EQ(plans[0].intermediate, (ShardRange{0, 192}));
  EXPECT_EQ(plans[1].intermediate, (ShardRange{192, 352}));
  EXPECT_EQ(plans[2].intermediate, (ShardRange{352, 512}));
  EXPECT_EQ(plans[1].vocabulary, (ShardRange{352, 704}));
  EXPECT_EQ(plans[2].vocabulary, (ShardRange{704, 1000}));
}

// Whatever the numbers: nothing is left out, nothing is computed twice.
TEST(ShardPlanTest, SharesOfAllRanksAreTheWhole) {
  for (int num_ranks = 1; num_ranks <= 8; ++num_ranks) {
    const std::vector<ShardPlan> plans = AllRanks(kEightHeads, num_ranks);
    for (int rank = 0; rank < num_ranks; ++rank) {
      const ShardPlan before = rank > 0 ? plans[rank - 1] : ShardPlan{};
      EXPECT_EQ(plans[rank].heads.begin, before.heads.end);
      EXPECT_EQ(plans[rank].intermediate.begin, before.intermediate.end);
      EXPECT_EQ(plans[rank].vocabulary.begin, before.vocabulary.end);
      EXPECT_GT(plans[rank].heads.size(), 0);
    }
    EXPECT_EQ(plans.back().heads.end, 8);
    EXPECT_EQ(plans.back().intermediate.end, 512);
    EXPECT_EQ(plans.back().vocabulary.end, 1000);
  }
}

TEST(ShardPlanTest, TooManyRanksAreRefusedWithWhatIsTooSmall) {
  EXPECT_EQ(Refusal(kNineHeads, 10),
            "10 ranks: 3 KV heads with 3 query heads each are too few");
  EXPECT_EQ(Refusal(Config(9, 3, 96, 49152), 4),
            "4 ranks: an intermediate size of 96 is too small");
  EXPECT_EQ(Refusal(Config(9, 3, 1536, 64), 3),
            "3 ranks: a vocabulary of 64 is too small");
}

TEST(ShardPlanTest, LayersOfARankHaveTheSizesOfItsShare) {
  const ShardPlan plan = *ShardPlan::Make(kNineHeads, 1, 2);
  const ModelConfig own = ShardConfig(kNineHeads, plan);
  EXPECT_EQ(own.num_heads, 3);
  EXPECT_EQ(own.num_kv_heads, 1);
  EXPECT_EQ(own.intermediate_size, 768);
  EXPECT_EQ(own.vocabulary_size, 49152);
}

}  // namespace
}  // namespace quire
