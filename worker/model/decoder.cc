#include "worker/model/decoder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/status_macros.h"
#include "common/strings.h"
#include "kernels/rms_norm.h"
#include "kernels/rope.h"
#include "kernels/silu_mul.h"

namespace quire {
namespace {

WeightPrecision PrecisionFor(Compute compute) {
  return compute == Compute::kF32 ? WeightPrecision::kExact
                                  : WeightPrecision::kFast;
}

// Products of float32 have no tiles.
int CheapRowsFor(const ModelOptions& options) {
  return NumCheapRows(
      options.compute == Compute::kF32
          ? std::min(options.instruction_set, InstructionSet::kAvx512)
          : options.instruction_set);
}

KvLayout LayoutFor(const ModelConfig& config, const ModelOptions& options) {
  const bool is_f32 =
      options.compute == Compute::kF32 || options.kv_dtype == KvDtype::kF32;
  return {.format = is_f32 ? KvFormat::kF32 : KvFormat::kBf16,
          .num_layers = static_cast<int>(config.num_layers),
          .num_kv_heads = static_cast<int>(config.num_kv_heads),
          .head_dim = static_cast<int>(config.head_dim)};
}

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> Decoder::Load(
    const ModelFiles& files, const ModelOptions& options, ThreadPool* pool,
    Communicator* communicator) {
  if (!IsSupported(options.instruction_set)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "instruction set ", ToAbsl(InstructionSetName(options.instruction_set)),
        ": this machine's best is ",
        ToAbsl(InstructionSetName(BestInstructionSet()))));
  }
  const bool is_alone =
      communicator == nullptr || communicator->num_ranks() == 1;
  if (is_alone) communicator = nullptr;
  QUIRE_ASSIGN_OR_RETURN(
      const std::vector<ShardPlan> shards,
      DivideModel(files.config(), is_alone ? 1 : communicator->num_ranks()));
  QUIRE_ASSIGN_OR_RETURN(
      std::unique_ptr<Weights> weights,
      Weights::Load(files, PrecisionFor(options.compute),
                    shards[is_alone ? 0 : communicator->rank().value()], pool));
  return std::unique_ptr<Decoder>(new Decoder(
      files.config(), options, shards, std::move(weights), pool, communicator));
}

Decoder::Decoder(const ModelConfig& config, const ModelOptions& options,
                 const std::vector<ShardPlan>& shards,
                 std::unique_ptr<Weights> weights, ThreadPool* pool,
                 Communicator* communicator)
    : config_(config),
      own_(ShardConfig(
          config,
          shards[communicator == nullptr ? 0 : communicator->rank().value()])),
      rank_(communicator == nullptr ? Rank(0) : communicator->rank()),
      communicator_(communicator),
      instruction_set_(options.instruction_set),
      num_cheap_rows_(CheapRowsFor(options)),
      weights_(std::move(weights)),
      pool_(pool),
      phase_times_(options.phase_times),
      rope_frequencies_(RopeFrequencies(
          config.rope_theta, static_cast<int>(config.head_dim),
          config.llama3_rope_scaling, weights_->rope_factors())),
      attention_(options.instruction_set, LayoutFor(own_, options),
                 static_cast<int>(own_.num_heads), config.context_length,
                 pool) {
  for (const ShardPlan& shard : shards) {
    vocabulary_sizes_.push_back(shard.vocabulary.size());
  }
}

absl::Status Decoder::AllocateKvCache(int block_size, int num_blocks,
                                      int max_rows) {
  QUIRE_RETURN_IF_ERROR(attention_.Allocate(block_size, num_blocks, max_rows));
  QUIRE_ASSIGN_OR_RETURN(
      buffers_,
      StepBuffers::Allocate(own_, {.instruction_set = instruction_set_,
                                   .max_rows = max_rows,
                                   .num_threads = pool_->num_threads()}));
  max_rows_ = max_rows;
  num_logit_rows_ = 0;
  return absl::OkStatus();
}

absl::Status Decoder::Forward(const Batch& batch) {
  QUIRE_CHECK(1 <= batch.num_rows() && batch.num_rows() <= max_rows_);
  attention_.BeginStep(batch);
  QUIRE_RETURN_IF_ERROR(EmbedRows(batch));
  for (int layer = 0; layer < config_.num_layers; ++layer) {
    QUIRE_RETURN_IF_ERROR(AttentionBlock(batch, layer));
    QUIRE_RETURN_IF_ERROR(FeedForwardBlock(batch, layer));
  }
  KeepLogitRows(batch);
  return absl::OkStatus();
}

absl::Status Decoder::ComputeLogits(int first, int count, float* logits) {
  QUIRE_CHECK(0 <= first && 0 <= count && first + count <= num_logit_rows_);
  const PackedMatrix& output = weights_->output();
  MultiplySome(Phase::kOutputProduct, {&output, 1},
               buffers_.PreparedLogits(output, num_logit_rows_), first, count,
               {.y = logits, .stride = logits_stride()});
  if (communicator_ == nullptr) return absl::OkStatus();
  return communicator_->GatherColumns(CollectiveUse::kLogits,
                                      {.num_rows = count,
                                       .num_columns = vocabulary_sizes_,
                                       .stride = logits_stride()},
                                      logits);
}

int64_t Decoder::logits_stride() const {
  return rank_ == Rank(0) ? StrideFor(config_.vocabulary_size)
                          : weights_->vocabulary().size();
}

absl::Status Decoder::SumOverRanks(CollectiveUse use, int num_rows) {
  if (communicator_ == nullptr) return absl::OkStatus();
  const PhaseScope scope(phase_times_, Phase::kRankSums);
  return communicator_->AllReduceSum(
      use,
      {buffers_.hidden(), static_cast<size_t>(num_rows * config_.hidden_size)});
}

absl::Status Decoder::EmbedRows(const Batch& batch) {
  EmbedOwnRows(batch);
  return SumOverRanks(CollectiveUse::kEmbedding, batch.num_rows());
}

// RoPE's angles depend on the position alone and serve all layers. Of a token
// whose embedding another rank has, this rank's summand is zero.
void Decoder::EmbedOwnRows(const Batch& batch) {
  const PhaseScope scope(phase_times_, Phase::kEmbedding);
  pool_->ParallelFor(batch.num_rows(), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      float* const hidden = buffers_.hidden() + row * config_.hidden_size;
      if (weights_->vocabulary().Contains(batch.tokens[row])) {
        weights_->Embed(batch.tokens[row], hidden);
      } else {
        std::fill_n(hidden, config_.hidden_size, 0.0f);
      }
      RopeAngles(rope_frequencies_, config_.rope_pairing, batch.positions[row],
                 buffers_.cosines() + row * config_.head_dim,
                 buffers_.sines() + row * config_.head_dim);
    }
  });
}

// Calls function(range) for ranges that together are all rows. They are few
// enough for what one phase leaves to the next to stay in the second-level
// cache, and of nearly equal size, in whole tiles of rows.
template <typename Function>
void Decoder::ForEachRowRange(int64_t num_rows, const Function& function) {
  constexpr int64_t kTile = 32;
  static_assert(StepBuffers::kRangeRows % kTile == 0);
  const int64_t num_tiles = (num_rows + kTile - 1) / kTile;
  const int64_t n =
      (num_rows + StepBuffers::kRangeRows - 1) / StepBuffers::kRangeRows;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t begin = num_tiles * i / n * kTile;
    const int64_t end = std::min(num_rows, num_tiles * (i + 1) / n * kTile);
    function(RowRange{begin, end});
  }
}

// In the last layer rows serve their own logits alone, once their keys and
// values are written.
bool Decoder::HasUse(const Batch& batch, int layer, RowRange range) const {
  if (layer + 1 < config_.num_layers) return true;
  const auto next = std::lower_bound(batch.logit_rows.begin(),
                                     batch.logit_rows.end(), range.begin);
  return next != batch.logit_rows.end() && *next < range.end;
}

absl::Status Decoder::AttentionBlock(const Batch& batch, int layer) {
  const LayerWeights& weights = weights_->layers()[layer];
  ForEachRowRange(batch.num_rows(),
                  [&](RowRange range) { ProjectQkv(weights, range); });
  RotateAndWriteKv(batch, layer);
  if (HasUse(batch, layer, {0, batch.num_rows()})) Attend(batch, layer);
  ForEachRowRange(batch.num_rows(), [&](RowRange range) {
    if (HasUse(batch, layer, range)) ProjectAttended(weights, range);
  });
  return SumOverRanks(CollectiveUse::kLayer, batch.num_rows());
}

absl::Status Decoder::FeedForwardBlock(const Batch& batch, int layer) {
  const LayerWeights& weights = weights_->layers()[layer];
  ForEachRowRange(batch.num_rows(), [&](RowRange range) {
    if (HasUse(batch, layer, range)) FeedForward(weights, range);
  });
  return SumOverRanks(CollectiveUse::kLayer, batch.num_rows());
}

void Decoder::ProjectQkv(const LayerWeights& weights, RowRange range) {
  // Rounding errors of queries and keys are magnified by the softmax: in lanes,
  // fine rows here take a third off the divergence from float32, for a tenth
  // more arithmetic.
  const PreparedRows normed =
      buffers_.Prepared(weights.qkv.front(), range.size(), /*fine=*/true);
  NormRows(weights.attention_norm, range, normed);
  Multiply(Phase::kQkvProduct, weights.qkv, normed,
           {.y = buffers_.qkv() + range.begin * buffers_.qkv_stride(),
            .stride = buffers_.qkv_stride(),
            .bias = weights.qkv_bias});
}

void Decoder::ProjectAttended(const LayerWeights& weights, RowRange range) {
  const PreparedRows attended =
      buffers_.Prepared(weights.attention_output, range.size());
  PrepareAttentionOutput(range, attended);
  Multiply(Phase::kAttentionOutputProduct, {&weights.attention_output, 1},
           attended, ToStream(range));
}

void Decoder::FeedForward(const LayerWeights& weights, RowRange range) {
  const PreparedRows normed = buffers_.Prepared(weights.gate, range.size());
  NormRows(weights.ffn_norm, range, normed);
  const PreparedRows gated = buffers_.PreparedGated(weights.down, range.size());
  MultiplyGated(weights, normed, gated);
  Multiply(Phase::kDownProduct, {&weights.down, 1}, gated, ToStream(range));
}

ProductOutput Decoder::ToStream(RowRange range) const {
  return {.y = buffers_.hidden() + range.begin * config_.hidden_size,
          .stride = config_.hidden_size,
          .add = adds_to_stream()};
}

void Decoder::KeepLogitRows(const Batch& batch) {
  const PhaseScope scope(phase_times_, Phase::kNorm);
  num_logit_rows_ = static_cast<int>(batch.logit_rows.size());
  const PreparedRows rows =
      buffers_.PreparedLogits(weights_->output(), num_logit_rows_);
  pool_->ParallelForParts(num_logit_rows_, [&](int part, int64_t begin,
                                               int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      NormRow(batch.logit_rows[row], weights_->output_norm(), part, row, rows);
    }
  });
}

void Decoder::NormRows(const float* norm, RowRange range,
                       const PreparedRows& rows) {
  const PhaseScope scope(phase_times_, Phase::kNorm);
  pool_->ParallelForParts(range.size(),
                          [&](int part, int64_t begin, int64_t end) {
                            for (int64_t row = begin; row < end; ++row) {
                              NormRow(range.begin + row, norm, part, row, rows);
                            }
                          });
}

void Decoder::NormRow(int64_t hidden_row, const float* norm, int part,
                      int64_t row, const PreparedRows& prepared) {
  const int64_t size = config_.hidden_size;
  float* normed = buffers_.part_row(part);
  RmsNorm(instruction_set_, buffers_.hidden() + hidden_row * size, norm, size,
          static_cast<float>(config_.rms_norm_epsilon), normed);
  PrepareRow(instruction_set_, normed, 0, size, row, prepared);
}

// Q and K lie side by side and turn together.
void Decoder::RotateAndWriteKv(const Batch& batch, int layer) {
  const PhaseScope scope(phase_times_, Phase::kRopeAndKvWrite);
  const int head_dim = static_cast<int>(config_.head_dim);
  const int num_rotated = static_cast<int>(own_.num_heads + own_.num_kv_heads);
  pool_->ParallelFor(batch.num_rows(), [&](int64_t begin, int64_t end) {
    const auto next_run =
        std::upper_bound(batch.run_rows.begin(), batch.run_rows.end(),
                         static_cast<int32_t>(begin));
    int run = static_cast<int>(next_run - batch.run_rows.begin()) - 1;
    for (int row = static_cast<int>(begin); row < end; ++row) {
      while (row >= batch.run_rows[run + 1]) ++run;
      float* q = buffers_.qkv() + row * buffers_.qkv_stride();
      const int64_t angles = int64_t{row} * head_dim;
      Rotate(instruction_set_, config_.rope_pairing,
             buffers_.cosines() + angles, buffers_.sines() + angles,
             num_rotated, head_dim, q);
      const float* k = q + own_.num_heads * head_dim;
      attention_.WriteRow(batch, run, row, layer, k,
                          k + own_.num_kv_heads * head_dim);
    }
  });
}

void Decoder::Attend(const Batch& batch, int layer) {
  const PhaseScope scope(phase_times_, Phase::kAttention);
  attention_.Attend(batch, layer, buffers_.qkv(), buffers_.qkv_stride());
}

void Decoder::PrepareAttentionOutput(RowRange range, const PreparedRows& rows) {
  const PhaseScope scope(phase_times_, Phase::kPrepareAttended);
  const int64_t stride = buffers_.qkv_stride();
  pool_->ParallelFor(range.size(), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      PrepareRow(instruction_set_,
                 buffers_.qkv() + (range.begin + row) * stride, 0,
                 rows.num_inputs, row, rows);
    }
  });
}

// SwiGLU (Shazeer, 2020). Gate and up of a piece never leave their thread's
// cache.
void Decoder::MultiplyGated(const LayerWeights& weights,
                            const PreparedRows& rows,
                            const PreparedRows& gated) {
  const PhaseScope scope(phase_times_, Phase::kGateUpProduct);
  const int64_t num_strips = weights.gate.num_strips();
  const int64_t piece =
      StripsPerPiece(num_strips, rows.num_rows, pool_->num_threads());
  const int64_t stride = 2 * piece * kStripOutputs;
  pool_->ForEach((num_strips + piece - 1) / piece, [&](int part, int64_t i) {
    const int64_t begin = i * piece;
    const int64_t end = std::min(begin + piece, num_strips);
    float* const gate = buffers_.part_gate_up(part);
    float* const up = gate + piece * kStripOutputs;
    MatMul(instruction_set_, weights.gate, rows, 0, rows.num_rows, begin, end,
           {.y = gate, .stride = stride});
    MatMul(instruction_set_, weights.up, rows, 0, rows.num_rows, begin, end,
           {.y = up, .stride = stride});
    const int64_t first = begin * kStripOutputs;
    const int64_t count =
        std::min(gated.num_inputs, end * kStripOutputs) - first;
    for (int64_t row = 0; row < rows.num_rows; ++row) {
      float* const of_row = gate + row * stride;
      SiluMul(instruction_set_, of_row, up + row * stride, count, of_row);
      PrepareRow(instruction_set_, of_row, first, count, row, gated);
    }
  });
}

void Decoder::Multiply(Phase phase, std::span<const PackedMatrix> matrices,
                       const PreparedRows& rows, const ProductOutput& output) {
  MultiplySome(phase, matrices, rows, 0, rows.num_rows, output);
}

void Decoder::MultiplySome(Phase phase, std::span<const PackedMatrix> matrices,
                           const PreparedRows& rows, int64_t first_row,
                           int64_t num_rows, const ProductOutput& output) {
  const PhaseScope scope(phase_times_, phase);
  int64_t num_strips = 0;
  for (const PackedMatrix& matrix : matrices) num_strips += matrix.num_strips();
  const int64_t piece =
      StripsPerPiece(num_strips, num_rows, pool_->num_threads());
  pool_->ParallelForPieces(num_strips, piece, [&](int64_t begin, int64_t end) {
    MultiplyStrips(matrices, rows, first_row, num_rows, begin, end, output);
  });
}

void Decoder::MultiplyStrips(std::span<const PackedMatrix> matrices,
                             const PreparedRows& rows, int64_t first_row,
                             int64_t num_rows, int64_t first_strip,
                             int64_t last_strip, ProductOutput output) {
  for (const PackedMatrix& matrix : matrices) {
    const int64_t begin = std::max<int64_t>(first_strip, 0);
    const int64_t end = std::min(last_strip, matrix.num_strips());
    if (begin < end) {
      ProductOutput of_strips = output;
      of_strips.y += begin * kStripOutputs;
      MatMul(instruction_set_, matrix, rows, first_row, num_rows, begin, end,
             of_strips);
    }
    first_strip -= matrix.num_strips();
    last_strip -= matrix.num_strips();
    output.y += matrix.num_outputs;
    if (output.bias != nullptr) output.bias += matrix.num_outputs;
  }
}

}  // namespace quire
