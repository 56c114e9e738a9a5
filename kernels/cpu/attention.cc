#include "kernels/attention.h"

#include <limits>

#include "kernels/cpu/attention_state.h"
#include "kernels/cpu/kernel_table.h"

namespace quire {

int64_t AttentionStateFloats(int head_dim) {
  return AttentionStateSize(head_dim);
}

// The queries as factors, four bytes an element at most; where two are enough,
// the rest has room for the maxima and sums of tiles. These read more rows than
// there are.
int64_t AttentionScratchBytes(int head_dim, int num_query_heads) {
  constexpr int kTileRows = 16;
  return int64_t{4} * head_dim * (num_query_heads + kTileRows);
}

void ClearAttentionState(int head_dim, float* state) {
  for (int i = 0; i < AttentionStateSize(head_dim); ++i) state[i] = 0;
  state[kStateMaximum] = -std::numeric_limits<float>::infinity();
}

void Attend(InstructionSet instruction_set, const AttentionCall& call) {
  GetKernelTable(instruction_set).attend(call);
}

void MergeAttention(InstructionSet instruction_set, int head_dim,
                    const float* later, float* state) {
  GetKernelTable(instruction_set).merge_attention(head_dim, later, state);
}

void FinishAttention(InstructionSet instruction_set, int head_dim,
                     const float* state, float* output) {
  GetKernelTable(instruction_set).finish_attention(head_dim, state, output);
}

}  // namespace quire
