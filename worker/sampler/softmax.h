#ifndef QUIRE_WORKER_SAMPLER_SOFTMAX_H_
#define QUIRE_WORKER_SAMPLER_SOFTMAX_H_

#include <span>

#include "common/ids.h"

namespace quire {

// Exponentials of a row and their sum. The sum is taken in 16 interleaved parts
// over stretches of fixed length, whatever the machine, so the bits of every
// result depend on the row alone. Relative error below 3e-7 an exponential.

// weights[i] = exp((logits[i] - max) / temperature); 0 where that is below the
// smallest normal float. Returns the sum of the weights.
// REQUIRES: max is the largest logit and finite; temperature > 0; equal sizes.
double ExponentialWeights(std::span<const float> logits, float max,
                          float temperature, std::span<float> weights);

// The token at which the running sum of weights, by id, first exceeds `mass`;
// never one of weight 0 where another weighs anything.
Token TokenAtMass(std::span<const float> weights, double mass);

// What a row's own distribution, softmax(logits), says.
class RawDistribution {
 public:
  // Reads the row and keeps no reference to it.
  explicit RawDistribution(std::span<const float> logits);

  // False where the row holds NaN or +infinity or is -infinity throughout:
  // nothing else may be asked then.
  bool valid() const { return valid_; }
  // The token with the largest logit, the smallest id among equals.
  Token best() const { return best_; }
  float max_logit() const { return max_; }
  // Natural logarithm of the probability of a token with this logit.
  float Logprob(float logit) const;

 private:
  Token best_ = 0;
  float max_ = 0;
  double log_sum_ = 0;  // Of exp(logit - max).
  bool valid_ = false;
};

// The index of the largest value, the smallest among equals. NaN never wins.
// REQUIRES: not empty.
Token ArgMax(std::span<const float> values);

}  // namespace quire

#endif  // QUIRE_WORKER_SAMPLER_SOFTMAX_H_
