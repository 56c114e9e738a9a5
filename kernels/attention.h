#ifndef QUIRE_KERNELS_ATTENTION_H_
#define QUIRE_KERNELS_ATTENTION_H_

#include <cstddef>
#include <cstdint>

#include "common/ids.h"
#include "kernels/instruction_set.h"
#include "kernels/kv_cache.h"

namespace quire {

// Keys are visited in chunks of this many slots, counted from slot 0.
inline constexpr int kAttentionChunk = 64;

// Attention of some queries to one KV head, over a range of chunks, softmax
// computed online (Milakov and Gimelshein, 2018; Dao et al., 2022).
//
// Every chunk yields a fresh partial (maximum of the scores, sum of their
// exponentials, weighted sum of the values), which is folded into the query's
// state; the result is defined as the fold from the first chunk to the last. So
// a query's bits are the same whichever queries share the call and wherever the
// blocks lie, and chunks may be computed apart: each into a new state of its
// own, merged in their order afterwards.
//
// Query i is row rows[i] of `queries`; it has `group` heads and attends to
// slots 0 .. slots[i]. Queries of several sequences may share a call where
// these share the blocks of its chunks and all attend to them whole. With KV in
// bf16, AVX-512 and AMX round queries and the weights of values to it, too.
struct AttentionCall {
  KvLayout layout;
  int group = 1;    // Query heads that share the KV head.
  float scale = 1;  // Of the scores before the softmax.

  const float* queries = nullptr;  // [rows, query_stride], of which
                                   // [group, head_dim] are used.
  int64_t query_stride = 0;        // Floats.
  const int32_t* rows = nullptr;   // [num_queries]
  const int32_t* slots = nullptr;  // [num_queries], ascending, or in any order
                                   // where all attend to all keys of the call.
  int num_queries = 0;

  const std::byte* head = nullptr;  // The KV head in block 0 of the layer.
  const BlockId* blocks = nullptr;  // Block table of the sequence, or of one of
                                    // those that share the chunks.

  int first_chunk = 0;
  int last_chunk = 0;  // Not included. Chunks beyond a query's last slot leave
                       // its state alone.

  // What the caller attends to next, if it knows: its first chunk is fetched
  // into the cache meanwhile. Of it, queries, states and scratch are not used.
  const AttentionCall* next = nullptr;

  float* states = nullptr;       // [num_queries, group, AttentionStateFloats()]
  std::byte* scratch = nullptr;  // AttentionScratchBytes().
};

// States and scratch are aligned to 64 bytes.
int64_t AttentionStateFloats(int head_dim);
int64_t AttentionScratchBytes(int head_dim, int num_query_heads);

// A state that no key has entered yet.
void ClearAttentionState(int head_dim, float* state);

// Folds chunks [first_chunk, last_chunk) into the states, in ascending order.
void Attend(InstructionSet instruction_set, const AttentionCall& call);

// Folds `later`, the state of exactly one chunk, into `state`, which holds the
// chunks before it.
void MergeAttention(InstructionSet instruction_set, int head_dim,
                    const float* later, float* state);

// The weighted mean of the values. output: [head_dim].
void FinishAttention(InstructionSet instruction_set, int head_dim,
                     const float* state, float* output);

}  // namespace quire

#endif  // QUIRE_KERNELS_ATTENTION_H_
