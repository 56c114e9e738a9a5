#ifndef QUIRE_TESTS_BENCH_KERNELS_ATTENTION_WORKLOAD_H_
#define QUIRE_TESTS_BENCH_KERNELS_ATTENTION_WORKLOAD_H_

#include <cstdint>
#include <vector>

#include "kernels/instruction_set.h"
#include "worker/executor/thread_pool.h"
#include "worker/model/batch.h"
#include "worker/model/paged_attention.h"

namespace quire {

// What a model's attention is sized by.
struct AttentionShape {
  int num_layers = 1;
  int num_heads = 1;
  int num_kv_heads = 1;
  int head_dim = 1;
};

// How a sequence's keys and values lie in the cache.
enum class Placement {
  kContiguous,  // A sequence is one block: a head's keys are one stretch.
  kAscending,   // Blocks of 16 slots, one behind the other.
  kShuffled,    // The same, anywhere.
};

// A bf16 cache full of sequences of equal length, and the attention of steps
// over them. Keys, values and queries are random.
class AttentionWorkload {
 public:
  // Runs on `pool`, which must outlive it. kAscending and kShuffled share a
  // workload: `is_paged`.
  AttentionWorkload(const AttentionShape& shape, InstructionSet instruction_set,
                    int num_keys, int num_sequences, bool is_paged,
                    ThreadPool* pool);

  // Seconds of decode steps, num_rows sequences each, until all sequences had a
  // turn. Every layer of a step is computed before the next step's first.
  double DecodeAll(Placement placement, int num_rows);
  // Seconds of one prompt of num_keys tokens in one step, a layer of it.
  double PrefillLayer(Placement placement);

  // Of keys and values of all sequences.
  int64_t num_bytes() const;

 private:
  void Fill();
  // Rows at slots [begin, num_keys) of sequences [first, last).
  Batch MakeBatch(Placement placement, int first, int last, int begin) const;
  void Attend(const Batch& batch, int layer);

  const AttentionShape shape_;
  const int num_keys_;
  const int num_sequences_;
  const int block_size_;
  ThreadPool* const pool_;
  PagedAttention attention_;
  std::vector<uint32_t> shuffled_;  // Block ids.
  int64_t stride_ = 0;
  std::vector<float> qkv_;  // [num_keys, stride]
};

}  // namespace quire

#endif  // QUIRE_TESTS_BENCH_KERNELS_ATTENTION_WORKLOAD_H_
