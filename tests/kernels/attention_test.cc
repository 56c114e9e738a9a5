#include "kernels/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/half_floats.h"
#include "tests/kernels/kernel_testing.h"

namespace quire {
namespace {

// Queries, keys and values of one sequence: numbers that bf16 holds exactly.
struct Sequence {
  Sequence(int num_slots, int num_kv_heads, int group, int head_dim)
      : num_slots(num_slots),
        num_kv_heads(num_kv_heads),
        group(group),
        head_dim(head_dim),
        q(RandomFloats(1).Bf16Vector(int64_t{num_slots} * num_kv_heads * group *
                                     head_dim)),
        k(RandomFloats(2).Bf16Vector(int64_t{num_slots} * num_kv_heads *
                                     head_dim)),
        v(RandomFloats(3).Bf16Vector(int64_t{num_slots} * num_kv_heads *
                                     head_dim)) {
    for (float& x : q) x *= 4;  // So that some keys outweigh others.
  }
  int query_size() const { return num_kv_heads * group * head_dim; }
  const float* Query(int slot, int kv_head) const {
    return &q[slot * query_size() + kv_head * group * head_dim];
  }

  int num_slots;
  int num_kv_heads;
  int group;
  int head_dim;
  std::vector<float> q;  // [num_slots, num_kv_heads * group, head_dim]
  std::vector<float> k;  // [num_slots, num_kv_heads, head_dim]
  std::vector<float> v;
};

// A sequence in a cache whose other slots hold NaN.
class CachedSequence {
 public:
  CachedSequence(const Sequence& sequence, InstructionSet instruction_set,
                 KvFormat format, int block_size, uint64_t shuffle_seed)
      : sequence_(sequence),
        instruction_set_(instruction_set),
        layout_{.format = format,
                .num_layers = 2,
                .num_kv_heads = sequence.num_kv_heads,
                .head_dim = sequence.head_dim,
                .block_size = block_size},
        blocks_(ShuffledBlocks(
            (sequence.num_slots + block_size - 1) / block_size, shuffle_seed)),
        cache_(static_cast<int64_t>(blocks_.size()) * 2 * layout_.block_bytes(),
               0xff) {
    const int64_t size = int64_t{sequence.num_kv_heads} * sequence.head_dim;
    for (int slot = 0; slot < sequence.num_slots; ++slot) {
      WriteKv(layout_, kLayer, blocks_[slot / block_size], slot % block_size,
              &sequence.k[slot * size], &sequence.v[slot * size],
              cache_.data());
    }
  }

  // Output of the rows at slots [begin, end) of one KV head, [end - begin,
  // group, head_dim], in one call.
  std::vector<float> Attend(int kv_head, int begin, int end) {
    return Finish(RunCall(kv_head, begin, end, 0, NumChunks(end)), end - begin);
  }

  // The same with a call and a state for each chunk, merged afterwards.
  std::vector<float> AttendChunksApart(int kv_head, int begin, int end) {
    const int64_t size = AttentionStateFloats(sequence_.head_dim);
    const int rows = (end - begin) * sequence_.group;
    std::vector<float> states = RunCall(kv_head, begin, end, 0, 1);
    for (int chunk = 1; chunk < NumChunks(end); ++chunk) {
      const std::vector<float> later =
          RunCall(kv_head, begin, end, chunk, chunk + 1);
      for (int row = 0; row < rows; ++row) {
        const int slot = begin + row / sequence_.group;
        if (slot < chunk * kAttentionChunk) continue;
        MergeAttention(instruction_set_, sequence_.head_dim, &later[row * size],
                       &states[row * size]);
      }
    }
    return Finish(states, end - begin);
  }

 private:
  static constexpr int kLayer = 1;

  static int NumChunks(int num_slots) {
    return (num_slots + kAttentionChunk - 1) / kAttentionChunk;
  }
  // Distinct blocks out of twice as many.
  static std::vector<BlockId> ShuffledBlocks(int count, uint64_t seed) {
    RandomFloats random(seed);
    std::vector<BlockId> blocks(size_t{2} * count);
    for (int i = 0; i < 2 * count; ++i) blocks[i] = BlockId(i);
    for (int i = 2 * count - 1; i > 0; --i) {
      std::swap(blocks[i], blocks[random.NextBits() % (i + 1)]);
    }
    blocks.resize(count);
    return blocks;
  }

  std::vector<float> RunCall(int kv_head, int begin, int end, int first_chunk,
                             int last_chunk) {
    const int rows = (end - begin) * sequence_.group;
    const int64_t size = AttentionStateFloats(sequence_.head_dim);
    AlignedBytes states(rows * size * sizeof(float));
    for (int row = 0; row < rows; ++row) {
      ClearAttentionState(sequence_.head_dim, states.floats() + row * size);
    }
    AlignedBytes scratch(AttentionScratchBytes(sequence_.head_dim, rows));
    std::vector<int32_t> slots(end - begin);
    std::iota(slots.begin(), slots.end(), begin);
    std::vector<int32_t> query_rows(end - begin);
    std::iota(query_rows.begin(), query_rows.end(), 0);
    quire::Attend(
        instruction_set_,
        {.layout = layout_,
         .group = sequence_.group,
         .scale = Scale(),
         .queries = sequence_.Query(begin, kv_head),
         .query_stride = sequence_.query_size(),
         .rows = query_rows.data(),
         .slots = slots.data(),
         .num_queries = end - begin,
         .head = cache_.data() + layout_.Locate(kLayer, BlockId(0)).offset +
                 kv_head * layout_.head_bytes(),
         .blocks = blocks_.data(),
         .first_chunk = first_chunk,
         .last_chunk = last_chunk,
         .states = states.floats(),
         .scratch = scratch.data()});
    return {states.floats(), states.floats() + rows * size};
  }

  std::vector<float> Finish(const std::vector<float>& states,
                            int num_rows) const {
    const int64_t size = AttentionStateFloats(sequence_.head_dim);
    std::vector<float> output(int64_t{num_rows} * sequence_.group *
                              sequence_.head_dim);
    for (int row = 0; row < num_rows * sequence_.group; ++row) {
      FinishAttention(instruction_set_, sequence_.head_dim, &states[row * size],
                      output.data() + int64_t{row} * sequence_.head_dim);
    }
    return output;
  }
  float Scale() const {
    return 1 / std::sqrt(static_cast<float>(sequence_.head_dim));
  }

  const Sequence& sequence_;
  InstructionSet instruction_set_;
  KvLayout layout_;
  std::vector<BlockId> blocks_;
  AlignedBytes cache_;
};

// Attention of one query head at `slot` in double precision.
std::vector<double> Reference(const Sequence& s, int slot, int kv_head,
                              int head) {
  const float* q = s.Query(slot, kv_head) + int64_t{head} * s.head_dim;
  std::vector<double> output(s.head_dim);
  double sum = 0;
  for (int key = 0; key <= slot; ++key) {
    const int64_t at = (int64_t{key} * s.num_kv_heads + kv_head) * s.head_dim;
    double score = 0;
    for (int dim = 0; dim < s.head_dim; ++dim)
      score += static_cast<double>(q[dim]) * s.k[at + dim];
    const double weight =
        std::exp(score / std::sqrt(static_cast<double>(s.head_dim)));
    sum += weight;
    for (int dim = 0; dim < s.head_dim; ++dim)
      output[dim] += weight * s.v[at + dim];
  }
  for (double& x : output) x /= sum;
  return output;
}

using Param = std::tuple<InstructionSet, KvFormat>;
class AttentionTest : public testing::TestWithParam<Param> {
 protected:
  CachedSequence Cache(const Sequence& sequence, int block_size = 16,
                       uint64_t shuffle_seed = 1) {
    return CachedSequence(sequence, std::get<0>(GetParam()),
                          std::get<1>(GetParam()), block_size, shuffle_seed);
  }
  // Weights of keys are rounded to bf16 where the values are multiplied in
  // bf16.
  bool RoundsWeights() const {
    return std::get<0>(GetParam()) >= InstructionSet::kAvx512 &&
           std::get<1>(GetParam()) == KvFormat::kBf16;
  }
  // Tiles round queries to bf16 after they are scaled, lanes before.
  bool RoundsScaledQueries(int head_dim) const {
    return std::get<0>(GetParam()) == InstructionSet::kAmx &&
           std::get<1>(GetParam()) == KvFormat::kBf16 && head_dim % 32 == 0;
  }
  static void RoundScaled(Sequence& sequence) {
    const float scale =
        1.44269504f / std::sqrt(static_cast<float>(sequence.head_dim));
    for (float& x : sequence.q)
      x = FloatFromBf16(Bf16FromFloat(x * scale)) / scale;
  }
};

INSTANTIATE_TEST_SUITE_P(
    All, AttentionTest,
    testing::Combine(testing::ValuesIn(SupportedInstructionSets()),
                     testing::Values(KvFormat::kF32, KvFormat::kBf16)),
    [](const testing::TestParamInfo<Param>& info) {
      const bool f32 = std::get<1>(info.param) == KvFormat::kF32;
      return std::string(InstructionSetName(std::get<0>(info.param))) +
             (f32 ? "_f32" : "_bf16");
    });

// Values are at most 1. A score is a sum of head_dim products of magnitude 4 at
// most, scaled by head_dim^-1/2: its error, times two for the quotient, is that
// of a weight; the sums over the keys add one unit for each. Rounded weights
// are off by 2^-9. Queries are such that rounding moves none.
TEST_P(AttentionTest, EqualsDoublePrecisionWithinTheBoundOfItsSums) {
  for (const auto& [num_slots, group, head_dim] : {std::tuple{1, 1, 8},
                                                   {5, 3, 64},
                                                   {63, 2, 16},
                                                   {64, 3, 64},
                                                   {65, 7, 80},
                                                   {200, 4, 128},
                                                   {100, 5, 96},
                                                   {131, 1, 6}}) {
    Sequence sequence(num_slots, /*num_kv_heads=*/2, group, head_dim);
    if (RoundsScaledQueries(head_dim)) RoundScaled(sequence);
    CachedSequence cache = Cache(sequence);
    const double score_error =
        2 * kFloatEpsilon * head_dim * 4 * std::sqrt(head_dim);
    const double bound = 2 * score_error + 4 * num_slots * kFloatEpsilon +
                         (RoundsWeights() ? 0x1p-8 : 0);
    for (int kv_head = 0; kv_head < 2; ++kv_head) {
      const std::vector<float> output = cache.Attend(kv_head, 0, num_slots);
      for (int row = 0; row < num_slots * group; ++row) {
        const std::vector<double> wanted =
            Reference(sequence, row / group, kv_head, row % group);
        for (int dim = 0; dim < head_dim; ++dim) {
          ASSERT_NEAR(output[row * head_dim + dim], wanted[dim], bound)
              << num_slots << " slots, row " << row << ", dim " << dim;
        }
      }
    }
  }
}

TEST_P(AttentionTest, ARowIsTheSameToTheBitAloneAndInAnyCutOfThePrompt) {
  const Sequence sequence(/*num_slots=*/150, 1, /*group=*/3, 64);
  CachedSequence cache = Cache(sequence);
  const std::vector<float> whole = cache.Attend(0, 0, 150);
  for (int rows_per_call : {1, 2, 5, 64, 67}) {
    for (int begin = 0; begin < 150; begin += rows_per_call) {
      const int end = std::min(150, begin + rows_per_call);
      const std::vector<float> part = cache.Attend(0, begin, end);
      ASSERT_TRUE(
          SameBits(part, std::span(whole).subspan(
                             static_cast<size_t>(begin) * 3 * 64, part.size())))
          << rows_per_call << " rows a call, from " << begin;
    }
  }
}

// Tiles take numbers below 2^-126 for zero, so whatever stands in for them
// must.
TEST_P(AttentionTest, ARowOfTinyValuesIsTheSameToTheBitAlone) {
  Sequence sequence(/*num_slots=*/150, 1, /*group=*/3, 64);
  for (float& x : sequence.v) x *= 0x1p-122f;
  CachedSequence cache = Cache(sequence);
  const std::vector<float> whole = cache.Attend(0, 0, 150);
  for (int slot = 0; slot < 150; ++slot) {
    const std::vector<float> alone = cache.Attend(0, slot, slot + 1);
    ASSERT_TRUE(
        SameBits(alone, std::span(whole).subspan(
                            static_cast<size_t>(slot) * 3 * 64, alone.size())))
        << slot;
  }
}

TEST_P(AttentionTest, BlockSizeAndPlacementDoNotMatter) {
  for (int head_dim : {48, 64}) {
    const Sequence sequence(/*num_slots=*/190, 2, /*group=*/2, head_dim);
    const std::vector<float> wanted = Cache(sequence, 16, 1).Attend(1, 0, 190);
    for (int block_size : {16, 32, 48, 64, 80, 256}) {
      for (uint64_t shuffle_seed : {2, 3}) {
        const std::vector<float> output =
            Cache(sequence, block_size, shuffle_seed).Attend(1, 0, 190);
        ASSERT_TRUE(SameBits(output, wanted)) << block_size;
      }
    }
  }
}

TEST_P(AttentionTest, ChunksComputedApartMergeToTheSameBits) {
  const Sequence sequence(/*num_slots=*/333, 1, /*group=*/3, 64);
  CachedSequence cache = Cache(sequence);
  for (const auto& [begin, end] :
       {std::pair{332, 333}, {255, 258}, {0, 40}, {300, 333}}) {
    const std::vector<float> together = cache.Attend(0, begin, end);
    const std::vector<float> apart = cache.AttendChunksApart(0, begin, end);
    ASSERT_TRUE(SameBits(together, apart)) << begin << " to " << end;
  }
}

}  // namespace
}  // namespace quire
