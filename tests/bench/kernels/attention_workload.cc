#include "tests/bench/kernels/attention_workload.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "common/check.h"
#include "common/ids.h"
#include "kernels/kv_cache.h"
#include "tests/bench/kernels/bench_clock.h"
#include "tests/kernels/kernel_testing.h"

namespace quire {
namespace {

int RoundUpToRuns(int slots) { return (slots + kKvRun - 1) / kKvRun * kKvRun; }

KvLayout LayoutOf(const AttentionShape& shape) {
  return {.format = KvFormat::kBf16,
          .num_layers = shape.num_layers,
          .num_kv_heads = shape.num_kv_heads,
          .head_dim = shape.head_dim};
}

}  // namespace

AttentionWorkload::AttentionWorkload(const AttentionShape& shape,
                                     InstructionSet instruction_set,
                                     int num_keys, int num_sequences,
                                     bool is_paged, ThreadPool* pool)
    : shape_(shape),
      num_keys_(num_keys),
      num_sequences_(num_sequences),
      block_size_(is_paged ? kKvRun : RoundUpToRuns(num_keys)),
      pool_(pool),
      attention_(instruction_set, LayoutOf(shape), shape.num_heads,
                 RoundUpToRuns(num_keys), pool),
      shuffled_(int64_t{num_sequences} *
                (RoundUpToRuns(num_keys) / block_size_)),
      stride_(int64_t{shape.num_heads + 2 * shape.num_kv_heads} *
              shape.head_dim),
      qkv_(RandomFloats(1).Vector(num_keys * stride_)) {
  std::iota(shuffled_.begin(), shuffled_.end(), 0);
  std::shuffle(shuffled_.begin(), shuffled_.end(), std::mt19937(1));
  QUIRE_CHECK(
      attention_
          .Allocate(block_size_, static_cast<int>(shuffled_.size()), num_keys)
          .ok());
  Fill();
}

void AttentionWorkload::Fill() {
  constexpr int kVectors = 61;  // Repeated over slots and layers.
  const int64_t size = int64_t{shape_.num_kv_heads} * shape_.head_dim;
  const std::vector<float> random =
      RandomFloats(2).Vector((kVectors + 1) * size);
  for (int sequence = 0; sequence < num_sequences_; ++sequence) {
    const Batch batch =
        MakeBatch(Placement::kAscending, sequence, sequence + 1, 0);
    pool_->ParallelFor(shape_.num_layers, [&](int64_t begin, int64_t end) {
      for (auto layer = static_cast<int>(begin); layer < end; ++layer) {
        for (int row = 0; row < num_keys_; ++row) {
          const float* k = &random[(row + layer) % kVectors * size];
          attention_.WriteRow(batch, 0, row, layer, k, k + size);
        }
      }
    });
  }
}

Batch AttentionWorkload::MakeBatch(Placement placement, int first, int last,
                                   int begin) const {
  const int num_blocks = RoundUpToRuns(num_keys_) / block_size_;
  Batch batch;
  batch.run_rows.push_back(0);
  batch.run_blocks.push_back(0);
  for (int sequence = first; sequence < last; ++sequence) {
    for (int slot = begin; slot < num_keys_; ++slot) {
      batch.tokens.push_back(0);
      batch.positions.push_back(slot);
      batch.slots.push_back(slot);
    }
    for (int i = sequence * num_blocks; i < (sequence + 1) * num_blocks; ++i) {
      batch.blocks.emplace_back(placement == Placement::kShuffled ? shuffled_[i]
                                                                  : i);
    }
    batch.run_rows.push_back(batch.num_rows());
    batch.run_blocks.push_back(static_cast<int32_t>(batch.blocks.size()));
  }
  return batch;
}

void AttentionWorkload::Attend(const Batch& batch, int layer) {
  attention_.Attend(batch, layer, qkv_.data(), stride_);
}

double AttentionWorkload::DecodeAll(Placement placement, int num_rows) {
  double seconds = 0;
  for (int first = 0; first < num_sequences_; first += num_rows) {
    const int last = std::min(first + num_rows, num_sequences_);
    const Batch batch = MakeBatch(placement, first, last, num_keys_ - 1);
    const double start = SecondsNow();
    attention_.BeginStep(batch);
    for (int layer = 0; layer < shape_.num_layers; ++layer) {
      Attend(batch, layer);
    }
    seconds += SecondsNow() - start;
  }
  return seconds;
}

double AttentionWorkload::PrefillLayer(Placement placement) {
  const Batch batch = MakeBatch(placement, 0, 1, 0);
  const double start = SecondsNow();
  attention_.BeginStep(batch);
  for (int layer = 0; layer < shape_.num_layers; ++layer) {
    Attend(batch, layer);
  }
  return (SecondsNow() - start) / shape_.num_layers;
}

int64_t AttentionWorkload::num_bytes() const {
  return int64_t{num_sequences_} * RoundUpToRuns(num_keys_) *
         LayoutOf(shape_).bytes_per_slot();
}

}  // namespace quire
