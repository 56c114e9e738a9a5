#ifndef QUIRE_TESTS_TESTING_FAKE_MODEL_H_
#define QUIRE_TESTS_TESTING_FAKE_MODEL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "worker/model/model.h"

namespace quire::testing {

// A model without weights whose logits are a hash of everything that it reads
// through the block table: the tokens and positions of slots 0 .. slot, in
// order. A wrong block, slot, position, token or copy anywhere in a sequence
// gives other logits. Aborts where the executor breaks a precondition.
class FakeModel final : public Model {
 public:
  static constexpr int64_t kBytesPerSlot = 64;
  static constexpr int kBlockSizeMultiple = 4;

  FakeModel(int64_t vocabulary_size, int64_t context_length);

  const ModelConfig& config() const override { return config_; }
  int64_t weight_bytes() const override { return 0; }
  int64_t bytes_per_slot() const override { return kBytesPerSlot; }
  int block_size_multiple() const override { return kBlockSizeMultiple; }
  int num_cheap_rows() const override { return 1; }
  absl::Status AllocateKvCache(int block_size, int num_blocks,
                               int max_rows) override;
  void MakeCacheResident(int64_t /*num_bytes*/) override {}
  absl::Status AllocateHostBlocks(int num_host_blocks) override;
  void SwapOut(std::span<const BlockSwap> swaps) override;
  void SwapIn(std::span<const BlockSwap> swaps) override;
  void CopyBlocks(std::span<const BlockCopy> copies) override;
  absl::Status Forward(const Batch& batch) override;
  absl::Status ComputeLogits(int first, int count, float* logits) override;
  int64_t logits_stride() const override { return config_.vocabulary_size; }

  // The logits [vocabulary_size] after these tokens at positions 0, 1, ...
  std::vector<float> LogitsAfter(std::span<const Token> tokens) const;

  // From now on logits are NaN for the row after `token`; -1: for none.
  void SpoilAfter(Token token) { spoiled_ = token; }
  // Answers the next AllocateKvCache with an error.
  void FailNextAllocation() { fails_allocation_ = true; }

  int num_forwards() const { return num_forwards_; }
  int max_logit_rows_at_once() const { return max_logit_rows_at_once_; }

 private:
  uint64_t& Cell(BlockId block, int slot_in_block);
  uint64_t& HostCell(HostBlockId block, int slot_in_block);
  void CheckBatch(const Batch& batch) const;
  void FillLogits(uint64_t state, float* logits) const;

  ModelConfig config_;
  int block_size_ = 0;
  int num_blocks_ = 0;
  int num_host_blocks_ = 0;
  int max_rows_ = 0;
  std::vector<uint64_t> cells_;       // [num_blocks, block_size]
  std::vector<uint64_t> host_cells_;  // [num_host_blocks, block_size]
  std::vector<uint64_t> states_;      // Of the last batch's logit rows.
  Token spoiled_ = -1;
  bool fails_allocation_ = false;
  int num_forwards_ = 0;
  int max_logit_rows_at_once_ = 0;
};

}  // namespace quire::testing

#endif  // QUIRE_TESTS_TESTING_FAKE_MODEL_H_
