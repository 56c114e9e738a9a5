#include "worker/weights/shard_plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/status_macros.h"

namespace quire {
namespace {

constexpr int64_t kUnit = 32;

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Share `i` of `n` when `count` units are dealt out.
ShardRange Share(int64_t count, int64_t i, int64_t n) {
  return {CeilDivide(count * i, n), CeilDivide(count * (i + 1), n)};
}

// Share `i` of `n` of `size` things that are split at multiples of kUnit.
ShardRange ShareOfUnits(int64_t size, int64_t i, int64_t n) {
  const ShardRange units = Share(CeilDivide(size, kUnit), i, n);
  return {std::min(units.begin * kUnit, size),
          std::min(units.end * kUnit, size)};
}

bool HasUnitsFor(int64_t size, int64_t num_ranks) {
  return CeilDivide(size, kUnit) >= num_ranks;
}

absl::Status CheckDivisible(const ModelConfig& config, int64_t num_ranks) {
  const int64_t group = config.num_heads / config.num_kv_heads;
  if (CeilDivide(num_ranks, config.num_kv_heads) > group) {
    return absl::InvalidArgumentError(absl::StrCat(
        num_ranks, " ranks: ", config.num_kv_heads, " KV heads with ", group,
        " query heads each are too few"));
  }
  if (!HasUnitsFor(config.intermediate_size, num_ranks)) {
    return absl::InvalidArgumentError(
        absl::StrCat(num_ranks, " ranks: an intermediate size of ",
                     config.intermediate_size, " is too small"));
  }
  if (!HasUnitsFor(config.vocabulary_size, num_ranks)) {
    return absl::InvalidArgumentError(
        absl::StrCat(num_ranks, " ranks: a vocabulary of ",
                     config.vocabulary_size, " is too small"));
  }
  return absl::OkStatus();
}

void ShareHeads(const ModelConfig& config, int64_t rank, int64_t num_ranks,
                ShardPlan& shard) {
  const int64_t num_kv_heads = config.num_kv_heads;
  const int64_t group = config.num_heads / num_kv_heads;
  if (num_ranks <= num_kv_heads) {
    shard.kv_heads = Share(num_kv_heads, rank, num_ranks);
    shard.heads = {shard.kv_heads.begin * group, shard.kv_heads.end * group};
    return;
  }
  int64_t kv_head = 0;
  while (!Share(num_ranks, kv_head, num_kv_heads).Contains(rank)) ++kv_head;
  const ShardRange holders = Share(num_ranks, kv_head, num_kv_heads);
  const ShardRange of_group =
      Share(group, rank - holders.begin, holders.size());
  shard.kv_heads = {kv_head, kv_head + 1};
  shard.heads = {kv_head * group + of_group.begin,
                 kv_head * group + of_group.end};
}

}  // namespace

absl::StatusOr<ShardPlan> ShardPlan::Make(const ModelConfig& config, int rank,
                                          int num_ranks) {
  QUIRE_CHECK(0 <= rank && rank < num_ranks);
  if (num_ranks == 1) return Whole(config);
  QUIRE_RETURN_IF_ERROR(CheckDivisible(config, num_ranks));
  ShardPlan shard;
  ShareHeads(config, rank, num_ranks, shard);
  shard.intermediate = ShareOfUnits(config.intermediate_size, rank, num_ranks);
  shard.vocabulary = ShareOfUnits(config.vocabulary_size, rank, num_ranks);
  return shard;
}

ShardPlan ShardPlan::Whole(const ModelConfig& config) {
  return {.heads = {0, config.num_heads},
          .kv_heads = {0, config.num_kv_heads},
          .intermediate = {0, config.intermediate_size},
          .vocabulary = {0, config.vocabulary_size}};
}

absl::StatusOr<std::vector<ShardPlan>> DivideModel(const ModelConfig& config,
                                                   int num_ranks) {
  std::vector<ShardPlan> shards;
  for (int rank = 0; rank < num_ranks; ++rank) {
    QUIRE_ASSIGN_OR_RETURN(shards.emplace_back(),
                           ShardPlan::Make(config, rank, num_ranks));
  }
  return shards;
}

ModelConfig ShardConfig(const ModelConfig& config, const ShardPlan& shard) {
  ModelConfig own = config;
  own.num_heads = shard.heads.size();
  own.num_kv_heads = shard.kv_heads.size();
  own.intermediate_size = shard.intermediate.size();
  return own;
}

}  // namespace quire
