#ifndef QUIRE_WORKER_MODEL_PAGED_ATTENTION_H_
#define QUIRE_WORKER_MODEL_PAGED_ATTENTION_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "kernels/attention.h"
#include "kernels/instruction_set.h"
#include "kernels/kv_cache.h"
#include "worker/executor/thread_pool.h"
#include "worker/model/attention_plan.h"
#include "worker/model/batch.h"
#include "worker/weights/mapped_memory.h"

namespace quire {

// The paged KV cache of one rank and the attention over it. Not thread-safe;
// shares its work out over the pool. A row's result depends on its own sequence
// alone.
class PagedAttention {
 public:
  // layout.block_size is set by Allocate. No row has a slot of context_length
  // or beyond. `pool` must outlive the object.
  PagedAttention(InstructionSet instruction_set, const KvLayout& layout,
                 int num_heads, int64_t context_length, ThreadPool* pool);

  const KvLayout& layout() const { return layout_; }

  // Drops the cache and the host blocks and makes a new cache.
  // RESOURCE_EXHAUSTED names the bytes asked for.
  absl::Status Allocate(int block_size, int num_blocks, int max_rows);

  // Contracts as Model's.
  void MakeResident(int64_t num_bytes);
  absl::Status AllocateHostBlocks(int num_host_blocks);
  void SwapOut(std::span<const BlockSwap> swaps);
  void SwapIn(std::span<const BlockSwap> swaps);
  void CopyBlocks(std::span<const BlockCopy> copies);

  // To be called once a step, before the layers.
  void BeginStep(const Batch& batch) { plan_.Make(batch, layout_.block_size); }

  // k, v: [num_kv_heads, head_dim]. Different threads may write different rows.
  void WriteRow(const Batch& batch, int run, int row, int layer, const float* k,
                const float* v);

  // Attends every row to its slots, all of which are written. qkv: [num_rows,
  // stride], of which the first [num_heads, head_dim] hold Q before and the
  // output afterwards.
  void Attend(const Batch& batch, int layer, float* qkv, int64_t stride);

 private:
  // Of num_blocks blocks; what does not fit an int64_t is its maximum.
  int64_t BytesOf(int num_blocks) const;
  // Calls move(share of a block, share of its host block, bytes) for each swap
  // and layer, in parallel.
  template <typename Move>
  void ForEachSwap(std::span<const BlockSwap> swaps, const Move& move);

  // Q and the output of a step's rows.
  struct Rows {
    float* data;
    int64_t stride;
  };

  void AttendWhole(const Batch& batch, int layer, const Rows& rows);
  void AttendSplit(const Batch& batch, int layer, const Rows& rows);
  void MergePartials(const Batch& batch, const Rows& rows);
  // Everything but the states and what is next.
  AttentionCall CallFor(const Batch& batch, int layer, int kv_head,
                        const AttentionSpan& span, const Rows& rows,
                        int part) const;
  // Calls function(part, unit, what this thread does next or null) for every
  // unit of the plan, on whichever thread is free.
  template <typename Function>
  void ForEachUnit(const Function& function);

  // Of the first head of a row in a chunk, in a split plan; its other heads
  // follow.
  float* PartialState(int row, int chunk) const;
  float* PartStates(int part) const;
  std::byte* PartScratch(int part) const;
  int64_t StatesBytes() const;
  int64_t PartBytes() const;

  const InstructionSet instruction_set_;
  KvLayout layout_;
  const int num_heads_;
  const int64_t context_length_;
  const int group_;           // Query heads of a KV head.
  const int64_t state_size_;  // Floats.
  ThreadPool* const pool_;
  AttentionPlan plan_;
  MappedMemory cache_;
  int64_t cache_bytes_ = 0;
  MappedMemory host_blocks_;  // Laid out like the cache.
  MappedMemory
      part_memory_;  // By part: states, then scratch, of the largest unit.
  MappedMemory
      partial_states_;  // [split rows, max_chunks_, num_heads, state_size_]
  int max_chunks_ = 0;
};

}  // namespace quire

#endif  // QUIRE_WORKER_MODEL_PAGED_ATTENTION_H_
