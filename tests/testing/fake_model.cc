#include "tests/testing/fake_model.h"

#include <algorithm>
#include <limits>

#include "common/check.h"

namespace quire::testing {
namespace {

constexpr uint64_t kUnwritten = 0xdeadbeefdeadbeef;
constexpr uint64_t kSpoiled = ~uint64_t{0};

// The finalizer of SplitMix64.
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t CellOf(Token token, int position) {
  return (static_cast<uint64_t>(token) << 32) | static_cast<uint32_t>(position);
}

uint64_t Fold(uint64_t state, uint64_t cell) { return Mix(state * 31 + cell); }

}  // namespace

FakeModel::FakeModel(int64_t vocabulary_size, int64_t context_length) {
  config_.vocabulary_size = vocabulary_size;
  config_.context_length = context_length;
}

absl::Status FakeModel::AllocateKvCache(int block_size, int num_blocks,
                                        int max_rows) {
  if (fails_allocation_) {
    fails_allocation_ = false;
    return absl::ResourceExhaustedError("no memory");
  }
  block_size_ = block_size;
  num_blocks_ = num_blocks;
  max_rows_ = max_rows;
  cells_.assign(int64_t{block_size} * num_blocks, kUnwritten);
  return absl::OkStatus();
}

absl::Status FakeModel::AllocateHostBlocks(int num_host_blocks) {
  QUIRE_CHECK(block_size_ > 0);
  num_host_blocks_ = num_host_blocks;
  host_cells_.assign(int64_t{block_size_} * num_host_blocks, kUnwritten);
  return absl::OkStatus();
}

uint64_t& FakeModel::Cell(BlockId block, int slot_in_block) {
  QUIRE_CHECK(block.value() < static_cast<uint32_t>(num_blocks_));
  QUIRE_CHECK(slot_in_block >= 0 && slot_in_block < block_size_);
  return cells_[int64_t{block.value()} * block_size_ + slot_in_block];
}

uint64_t& FakeModel::HostCell(HostBlockId block, int slot_in_block) {
  QUIRE_CHECK(block.value() < static_cast<uint32_t>(num_host_blocks_));
  QUIRE_CHECK(slot_in_block >= 0 && slot_in_block < block_size_);
  return host_cells_[int64_t{block.value()} * block_size_ + slot_in_block];
}

void FakeModel::SwapOut(std::span<const BlockSwap> swaps) {
  for (const BlockSwap& swap : swaps) {
    for (int i = 0; i < block_size_; ++i) {
      HostCell(swap.host_block, i) = Cell(swap.block, i);
    }
  }
}

void FakeModel::SwapIn(std::span<const BlockSwap> swaps) {
  for (const BlockSwap& swap : swaps) {
    for (int i = 0; i < block_size_; ++i) {
      Cell(swap.block, i) = HostCell(swap.host_block, i);
    }
  }
}

void FakeModel::CopyBlocks(std::span<const BlockCopy> copies) {
  for (const BlockCopy& copy : copies) {
    for (int i = 0; i < copy.num_slots; ++i) {
      Cell(copy.destination, i) = Cell(copy.source, i);
    }
  }
}

void FakeModel::CheckBatch(const Batch& batch) const {
  const auto num_rows = static_cast<size_t>(batch.num_rows());
  QUIRE_CHECK(batch.num_rows() >= 1 && batch.num_rows() <= max_rows_);
  QUIRE_CHECK(batch.positions.size() == num_rows);
  QUIRE_CHECK(batch.slots.size() == num_rows);
  QUIRE_CHECK(batch.run_rows.front() == 0);
  QUIRE_CHECK(batch.run_rows.back() == batch.num_rows());
  QUIRE_CHECK(batch.run_blocks.size() == batch.run_rows.size());
  QUIRE_CHECK(std::is_sorted(batch.logit_rows.begin(), batch.logit_rows.end()));
  for (size_t row = 0; row < num_rows; ++row) {
    QUIRE_CHECK(batch.tokens[row] >= 0 &&
                batch.tokens[row] < config_.vocabulary_size);
    QUIRE_CHECK(batch.positions[row] >= 0 &&
                batch.positions[row] < config_.context_length);
  }
}

absl::Status FakeModel::Forward(const Batch& batch) {
  CheckBatch(batch);
  ++num_forwards_;
  states_.clear();
  auto wanted = batch.logit_rows.begin();
  for (int run = 0; run < batch.num_runs(); ++run) {
    const std::span<const BlockId> table(
        batch.blocks.begin() + batch.run_blocks[run],
        batch.blocks.begin() + batch.run_blocks[run + 1]);
    for (int row = batch.run_rows[run]; row < batch.run_rows[run + 1]; ++row) {
      const int slot = batch.slots[row];
      QUIRE_CHECK(static_cast<size_t>(slot / block_size_) < table.size());
      Cell(table[slot / block_size_], slot % block_size_) =
          CellOf(batch.tokens[row], batch.positions[row]);
      if (wanted == batch.logit_rows.end() || *wanted != row) continue;
      ++wanted;
      uint64_t state = 0;
      for (int i = 0; i <= slot; ++i) {
        const uint64_t cell = Cell(table[i / block_size_], i % block_size_);
        QUIRE_CHECK(cell != kUnwritten);
        state = Fold(state, cell);
      }
      states_.push_back(batch.tokens[row] == spoiled_ ? kSpoiled : state);
    }
  }
  QUIRE_CHECK(wanted == batch.logit_rows.end());
  return absl::OkStatus();
}

absl::Status FakeModel::ComputeLogits(int first, int count, float* logits) {
  QUIRE_CHECK(first >= 0 && count >= 1);
  QUIRE_CHECK(static_cast<size_t>(first + count) <= states_.size());
  max_logit_rows_at_once_ = std::max(max_logit_rows_at_once_, count);
  for (int i = 0; i < count; ++i) {
    FillLogits(states_[first + i], logits + i * config_.vocabulary_size);
  }
  return absl::OkStatus();
}

void FakeModel::FillLogits(uint64_t state, float* logits) const {
  for (int64_t token = 0; token < config_.vocabulary_size; ++token) {
    // 16 bits of hash: -4 to 4, with the occasional tie.
    const uint64_t bits =
        Mix(state + static_cast<uint64_t>(token) + 1) & 0xffff;
    logits[token] = state == kSpoiled
                        ? std::numeric_limits<float>::quiet_NaN()
                        : static_cast<float>(bits) / 8192.0f - 4.0f;
  }
}

std::vector<float> FakeModel::LogitsAfter(std::span<const Token> tokens) const {
  uint64_t state = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    state = Fold(state, CellOf(tokens[i], static_cast<int>(i)));
  }
  std::vector<float> logits(config_.vocabulary_size);
  FillLogits(state, logits.data());
  return logits;
}

}  // namespace quire::testing
