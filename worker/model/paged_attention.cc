#include "worker/model/paged_attention.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "common/check.h"
#include "common/status_macros.h"

namespace quire {
namespace {

constexpr int64_t kFloat = sizeof(float);

int64_t RoundUpToLines(int64_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

PagedAttention::PagedAttention(InstructionSet instruction_set,
                               const KvLayout& layout, int num_heads,
                               int64_t context_length, ThreadPool* pool)
    : instruction_set_(instruction_set),
      layout_(layout),
      num_heads_(num_heads),
      context_length_(context_length),
      group_(num_heads / layout.num_kv_heads),
      state_size_(AttentionStateFloats(layout.head_dim)),
      pool_(pool),
      plan_({.num_kv_heads = layout.num_kv_heads,
             .group = group_,
             .num_threads = pool->num_threads()}) {}

absl::Status PagedAttention::Allocate(int block_size, int num_blocks,
                                      int max_rows) {
  QUIRE_CHECK(block_size > 0 && block_size % kKvRun == 0 && num_blocks > 0 &&
              max_rows > 0);
  cache_ = MappedMemory();
  host_blocks_ = MappedMemory();
  layout_.block_size = block_size;
  QUIRE_ASSIGN_OR_RETURN(
      cache_, MappedMemory::Allocate(BytesOf(num_blocks), "the KV cache"));
  cache_bytes_ = BytesOf(num_blocks);

  const int64_t num_slots =
      std::min(int64_t{block_size} * num_blocks, context_length_);
  max_chunks_ =
      static_cast<int>((num_slots + kAttentionChunk - 1) / kAttentionChunk);
  plan_.Reserve(max_rows, max_chunks_);
  const int64_t split_rows = std::min(max_rows, plan_.max_split_rows());
  QUIRE_ASSIGN_OR_RETURN(
      part_memory_, MappedMemory::Allocate(pool_->num_threads() * PartBytes(),
                                           "attention of a step"));
  QUIRE_ASSIGN_OR_RETURN(
      partial_states_,
      MappedMemory::Allocate(
          split_rows * max_chunks_ * num_heads_ * state_size_ * kFloat,
          "attention of a step"));
  return absl::OkStatus();
}

void PagedAttention::MakeResident(int64_t num_bytes) {
  constexpr int64_t kPiece = int64_t{8} << 20;
  pool_->ParallelForPieces(
      std::min(num_bytes, cache_bytes_), kPiece,
      [&](int64_t begin, int64_t end) { cache_.MakeResident(begin, end); });
}

int64_t PagedAttention::BytesOf(int num_blocks) const {
  int64_t bytes = 0;
  return __builtin_mul_overflow(layout_.block_bytes(), num_blocks, &bytes)
             ? std::numeric_limits<int64_t>::max()
             : bytes;
}

absl::Status PagedAttention::AllocateHostBlocks(int num_host_blocks) {
  host_blocks_ = MappedMemory();
  QUIRE_ASSIGN_OR_RETURN(
      host_blocks_,
      MappedMemory::Allocate(BytesOf(num_host_blocks), "the host blocks"));
  return absl::OkStatus();
}

void PagedAttention::SwapOut(std::span<const BlockSwap> swaps) {
  ForEachSwap(swaps, [](std::byte* block, std::byte* host, int64_t bytes) {
    std::memcpy(host, block, bytes);
  });
}

void PagedAttention::SwapIn(std::span<const BlockSwap> swaps) {
  ForEachSwap(swaps, [](std::byte* block, std::byte* host, int64_t bytes) {
    std::memcpy(block, host, bytes);
  });
}

template <typename Move>
void PagedAttention::ForEachSwap(std::span<const BlockSwap> swaps,
                                 const Move& move) {
  const int64_t count = static_cast<int64_t>(swaps.size()) * layout_.num_layers;
  pool_->ParallelFor(count, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const BlockSwap& swap = swaps[i / layout_.num_layers];
      const int layer = static_cast<int>(i % layout_.num_layers);
      const KvExtent share = layout_.Locate(layer, swap.block);
      const BlockId in_host_memory(swap.host_block.value());
      move(cache_.data() + share.offset,
           host_blocks_.data() + layout_.Locate(layer, in_host_memory).offset,
           share.bytes);
    }
  });
}

void PagedAttention::CopyBlocks(std::span<const BlockCopy> copies) {
  pool_->ParallelFor(
      static_cast<int64_t>(copies.size()), [&](int64_t begin, int64_t end) {
        for (const BlockCopy& copy : copies.subspan(begin, end - begin)) {
          CopyKvSlots(layout_, copy.source, copy.destination, copy.num_slots,
                      cache_.data());
        }
      });
}

void PagedAttention::WriteRow(const Batch& batch, int run, int row, int layer,
                              const float* k, const float* v) {
  const int slot = batch.slots[row];
  const BlockId block =
      batch.blocks[batch.run_blocks[run] + slot / layout_.block_size];
  WriteKv(layout_, layer, block, slot % layout_.block_size, k, v,
          cache_.data());
}

void PagedAttention::Attend(const Batch& batch, int layer, float* qkv,
                            int64_t stride) {
  const Rows rows = {qkv, stride};
  if (plan_.is_split()) {
    AttendSplit(batch, layer, rows);
    MergePartials(batch, rows);
  } else {
    AttendWhole(batch, layer, rows);
  }
}

// The output may take the place of Q: a unit alone reads what it overwrites.
void PagedAttention::AttendWhole(const Batch& batch, int layer,
                                 const Rows& rows) {
  ForEachUnit([&](int part, const AttentionUnit& unit,
                  const AttentionUnit* next_unit) {
    float* const states = PartStates(part);
    const int num_states = unit.num_rows * group_;
    for (int i = 0; i < num_states; ++i) {
      ClearAttentionState(layout_.head_dim, states + i * state_size_);
    }
    const std::span<const AttentionSpan> spans = plan_.SpansOf(unit);
    for (size_t i = 0; i < spans.size(); ++i) {
      AttentionCall call =
          CallFor(batch, layer, unit.kv_head, spans[i], rows, part);
      call.states = states + int64_t{spans[i].first_row - unit.first_row} *
                                 group_ * state_size_;
      AttentionCall next;
      if (i + 1 < spans.size()) {
        next = CallFor(batch, layer, unit.kv_head, spans[i + 1], rows, part);
        call.next = &next;
      } else if (next_unit != nullptr) {
        next = CallFor(batch, layer, next_unit->kv_head,
                       plan_.SpansOf(*next_unit).front(), rows, part);
        call.next = &next;
      }
      quire::Attend(instruction_set_, call);
    }
    for (int i = 0; i < num_states; ++i) {
      const int64_t head = int64_t{unit.kv_head} * group_ + i % group_;
      const int64_t row = plan_.rows()[unit.first_row + i / group_];
      FinishAttention(instruction_set_, layout_.head_dim,
                      states + i * state_size_,
                      rows.data + row * rows.stride + head * layout_.head_dim);
    }
  });
}

// Rows one by one, because the partial states of a chunk lie together by row.
void PagedAttention::AttendSplit(const Batch& batch, int layer,
                                 const Rows& rows) {
  const std::span<const AttentionUnit> units = plan_.units();
  pool_->ForEach(static_cast<int64_t>(units.size()), [&](int part, int64_t i) {
    AttentionSpan span = plan_.SpansOf(units[i]).front();
    const int end_row = span.first_row + span.num_rows;
    for (span.num_rows = 1; span.first_row < end_row; ++span.first_row) {
      const int kv_head = units[i].kv_head;
      AttentionCall call = CallFor(batch, layer, kv_head, span, rows, part);
      AttentionCall next = call;
      for (int chunk = span.first_chunk; chunk < span.last_chunk; ++chunk) {
        call.first_chunk = chunk;
        call.last_chunk = chunk + 1;
        next.first_chunk = chunk + 1;
        call.next = next.first_chunk < span.last_chunk ? &next : nullptr;
        call.states = PartialState(plan_.rows()[span.first_row], chunk) +
                      int64_t{kv_head} * group_ * state_size_;
        for (int i = 0; i < group_; ++i) {
          ClearAttentionState(layout_.head_dim, call.states + i * state_size_);
        }
        quire::Attend(instruction_set_, call);
      }
    }
  });
}

void PagedAttention::MergePartials(const Batch& batch, const Rows& rows) {
  const int64_t count = int64_t{batch.num_rows()} * num_heads_;
  pool_->ParallelFor(count, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int row = static_cast<int>(i / num_heads_);
      const int64_t head = i % num_heads_;
      float* state = PartialState(row, 0) + head * state_size_;
      const int last_chunk = batch.slots[row] / kAttentionChunk;
      for (int chunk = 1; chunk <= last_chunk; ++chunk) {
        MergeAttention(instruction_set_, layout_.head_dim,
                       PartialState(row, chunk) + head * state_size_, state);
      }
      FinishAttention(instruction_set_, layout_.head_dim, state,
                      rows.data + row * rows.stride + head * layout_.head_dim);
    }
  });
}

AttentionCall PagedAttention::CallFor(const Batch& batch, int layer,
                                      int kv_head, const AttentionSpan& span,
                                      const Rows& rows, int part) const {
  const int64_t head_offset =
      layout_.Locate(layer, BlockId(0)).offset + kv_head * layout_.head_bytes();
  return {.layout = layout_,
          .group = group_,
          .scale = 1 / std::sqrt(static_cast<float>(layout_.head_dim)),
          .queries = rows.data + int64_t{kv_head} * group_ * layout_.head_dim,
          .query_stride = rows.stride,
          .rows = &plan_.rows()[span.first_row],
          .slots = &plan_.slots()[span.first_row],
          .num_queries = span.num_rows,
          .head = cache_.data() + head_offset,
          .blocks = &batch.blocks[batch.run_blocks[span.run]],
          .first_chunk = span.first_chunk,
          .last_chunk = span.last_chunk,
          .scratch = PartScratch(part)};
}

// As ThreadPool::ForEach, but who takes a unit takes the one after it, too. Not
// of the last ones, for which another thread might wait.
template <typename Function>
void PagedAttention::ForEachUnit(const Function& function) {
  const std::span<const AttentionUnit> units = plan_.units();
  const auto count = static_cast<int64_t>(units.size());
  const int64_t num_last = int64_t{4} * pool_->num_threads();
  std::atomic<int64_t> taken = 0;
  const auto take = [&] {
    return taken.fetch_add(1, std::memory_order_relaxed);
  };
  pool_->Run([&](int part) {
    for (int64_t i = take(); i < count;) {
      const bool is_last = i >= count - num_last;
      const int64_t next = is_last ? count : take();
      function(part, units[i], next < count ? &units[next] : nullptr);
      i = is_last ? take() : next;
    }
  });
}

int64_t PagedAttention::StatesBytes() const {
  return RoundUpToLines(plan_.max_unit_query_heads() * state_size_ * kFloat);
}

int64_t PagedAttention::PartBytes() const {
  return StatesBytes() + RoundUpToLines(AttentionScratchBytes(
                             layout_.head_dim, plan_.max_unit_query_heads()));
}

float* PagedAttention::PartStates(int part) const {
  return reinterpret_cast<float*>(part_memory_.data() + part * PartBytes());
}

std::byte* PagedAttention::PartScratch(int part) const {
  return part_memory_.data() + part * PartBytes() + StatesBytes();
}

float* PagedAttention::PartialState(int row, int chunk) const {
  return reinterpret_cast<float*>(partial_states_.data()) +
         (int64_t{row} * max_chunks_ + chunk) * num_heads_ * state_size_;
}

}  // namespace quire
