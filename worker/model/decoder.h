#ifndef QUIRE_WORKER_MODEL_DECODER_H_
#define QUIRE_WORKER_MODEL_DECODER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "common/modelfile/model_files.h"
#include "kernels/kv_cache.h"
#include "kernels/matmul.h"
#include "worker/comm/communicator.h"
#include "worker/executor/thread_pool.h"
#include "worker/model/model.h"
#include "worker/model/paged_attention.h"
#include "worker/model/phase_times.h"
#include "worker/model/step_buffers.h"
#include "worker/weights/shard_plan.h"
#include "worker/weights/weights.h"

namespace quire {

// The Llama family on CPUs: pre-norm layers of grouped-query attention with
// rotary positions and a gated feed-forward network. A step is a sequence of
// phases, each cut into parts that whichever thread of the pool is free takes;
// the next begins when all parts are done. Within a phase no result depends on
// who computes it. Contracts are those of Model.
//
// Of several ranks each computes the heads and the part of the feed-forward
// network that ShardPlan gives it. Its share of an attention's or a
// feed-forward block's output is a summand of the residual stream, so a layer
// has two sums over the ranks, after which all have the same stream again.
class Decoder : public Model {
 public:
  // Contract as LoadModel's.
  static absl::StatusOr<std::unique_ptr<Decoder>> Load(
      const ModelFiles& files, const ModelOptions& options, ThreadPool* pool,
      Communicator* communicator);

  const ModelConfig& config() const override { return config_; }
  int64_t weight_bytes() const override { return weights_->num_bytes(); }
  int64_t bytes_per_slot() const override {
    return attention_.layout().bytes_per_slot();
  }
  int block_size_multiple() const override { return kKvRun; }
  int num_cheap_rows() const override { return num_cheap_rows_; }
  void MakeCacheResident(int64_t num_bytes) override {
    attention_.MakeResident(num_bytes);
  }
  absl::Status AllocateKvCache(int block_size, int num_blocks,
                               int max_rows) override;
  absl::Status AllocateHostBlocks(int num_host_blocks) override {
    return attention_.AllocateHostBlocks(num_host_blocks);
  }
  void SwapOut(std::span<const BlockSwap> swaps) override {
    attention_.SwapOut(swaps);
  }
  void SwapIn(std::span<const BlockSwap> swaps) override {
    attention_.SwapIn(swaps);
  }
  void CopyBlocks(std::span<const BlockCopy> copies) override {
    attention_.CopyBlocks(copies);
  }
  absl::Status Forward(const Batch& batch) override;
  absl::Status ComputeLogits(int first, int count, float* logits) override;
  int64_t logits_stride() const override;

 private:
  Decoder(const ModelConfig& config, const ModelOptions& options,
          const std::vector<ShardPlan>& shards,
          std::unique_ptr<Weights> weights, ThreadPool* pool,
          Communicator* communicator);

  absl::Status EmbedRows(const Batch& batch);
  void EmbedOwnRows(const Batch& batch);
  // Rows of a step.
  struct RowRange {
    int64_t size() const { return end - begin; }
    int64_t begin;
    int64_t end;
  };
  template <typename Function>
  void ForEachRowRange(int64_t num_rows, const Function& function);

  absl::Status AttentionBlock(const Batch& batch, int layer);
  absl::Status FeedForwardBlock(const Batch& batch, int layer);
  // Whether what becomes of some of these rows is of use to anybody.
  bool HasUse(const Batch& batch, int layer, RowRange range) const;
  void ProjectQkv(const LayerWeights& weights, RowRange range);
  void ProjectAttended(const LayerWeights& weights, RowRange range);
  void FeedForward(const LayerWeights& weights, RowRange range);
  // Where products go that are added to the rows' residual stream.
  ProductOutput ToStream(RowRange range) const;
  void KeepLogitRows(const Batch& batch);
  // The residual stream becomes the sum of those of all ranks.
  absl::Status SumOverRanks(CollectiveUse use, int num_rows);
  // The stream itself is a summand once.
  bool adds_to_stream() const { return rank_ == Rank(0); }

  // Phases of a layer.
  void NormRows(const float* norm, RowRange range, const PreparedRows& rows);
  void RotateAndWriteKv(const Batch& batch, int layer);
  void Attend(const Batch& batch, int layer);
  void PrepareAttentionOutput(RowRange range, const PreparedRows& rows);
  void MultiplyGated(const LayerWeights& weights, const PreparedRows& rows,
                     const PreparedRows& gated);
  // By matrices that lie one below the other.
  void Multiply(Phase phase, std::span<const PackedMatrix> matrices,
                const PreparedRows& rows, const ProductOutput& output);
  void MultiplySome(Phase phase, std::span<const PackedMatrix> matrices,
                    const PreparedRows& rows, int64_t first_row,
                    int64_t num_rows, const ProductOutput& output);
  // Strips [first_strip, last_strip), counted over all matrices.
  void MultiplyStrips(std::span<const PackedMatrix> matrices,
                      const PreparedRows& rows, int64_t first_row,
                      int64_t num_rows, int64_t first_strip, int64_t last_strip,
                      ProductOutput output);

  // Norm of row `hidden_row`, prepared as row `row`.
  void NormRow(int64_t hidden_row, const float* norm, int part, int64_t row,
               const PreparedRows& prepared);

  const ModelConfig config_;
  const ModelConfig own_;  // The sizes of this rank's layers.
  const Rank rank_;
  std::vector<int64_t> vocabulary_sizes_;  // By rank.
  Communicator* const communicator_;       // Null: there are no other ranks.
  const InstructionSet instruction_set_;
  const int num_cheap_rows_;
  const std::unique_ptr<Weights> weights_;
  ThreadPool* const pool_;
  PhaseTimes* const phase_times_;  // Null: nothing is measured.
  const std::vector<float> rope_frequencies_;
  PagedAttention attention_;
  StepBuffers buffers_;
  int max_rows_ = 0;
  int num_logit_rows_ = 0;
};

}  // namespace quire

#endif  // QUIRE_WORKER_MODEL_DECODER_H_
