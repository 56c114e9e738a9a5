#ifndef QUIRE_WORKER_SAMPLER_NUCLEUS_H_
#define QUIRE_WORKER_SAMPLER_NUCLEUS_H_

#include <span>

#include "worker/sampler/top_tokens.h"

namespace quire {

// A token that may be drawn and its unnormalized probability.
struct Candidate {
  TokenLogit token_logit;
  float weight = 0;
};

// The worst token of the nucleus: the smallest set of best candidates whose
// weights reach `mass` (Holtzman et al., "The curious case of neural text
// degeneration", 2020). The worst candidate where all together do not reach it.
// Selects by weighted partitioning, expected O(n), and leaves `candidates` in
// another order. REQUIRES: not empty; a better candidate weighs no less.
TokenLogit WorstOfNucleus(std::span<Candidate> candidates, double mass);

}  // namespace quire

#endif  // QUIRE_WORKER_SAMPLER_NUCLEUS_H_
