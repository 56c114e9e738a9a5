#ifndef QUIRE_KERNELS_CPU_ATTENTION_STATE_H_
#define QUIRE_KERNELS_CPU_ATTENTION_STATE_H_

// A state is [maximum, sum, unused.., weighted sum of values: padded head_dim],
// the latter on a line of its own.

namespace quire {

inline constexpr int kStateMaximum = 0;
inline constexpr int kStateSum = 1;
inline constexpr int kStateValues = 16;

inline int AttentionStateSize(int head_dim) {
  return kStateValues + (head_dim + 15) / 16 * 16;
}

}  // namespace quire

#endif  // QUIRE_KERNELS_CPU_ATTENTION_STATE_H_
