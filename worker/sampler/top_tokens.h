#ifndef QUIRE_WORKER_SAMPLER_TOP_TOKENS_H_
#define QUIRE_WORKER_SAMPLER_TOP_TOKENS_H_

#include <span>
#include <vector>

#include "common/ids.h"

namespace quire {

struct TokenLogit {
  Token token = 0;
  float logit = 0;
};

// The order of preference everywhere: larger logits first, of equal ones the
// smaller id.
constexpr bool IsBetter(const TokenLogit& a, const TokenLogit& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
}

// Puts the `count` best tokens (all, where there are fewer) into *best, in no
// particular order except that the worst of them is last. One pass with a
// threshold that rises as better tokens are found: O(n + count log n) on
// ordinary rows. *best is only a buffer: reuse it and nothing is allocated.
// REQUIRES: count >= 1, logits without NaN.
void SelectTop(std::span<const float> logits, int count,
               std::vector<TokenLogit>* best);

// The same, best first.
void SortedTop(std::span<const float> logits, int count,
               std::vector<TokenLogit>* best);

}  // namespace quire

#endif  // QUIRE_WORKER_SAMPLER_TOP_TOKENS_H_
