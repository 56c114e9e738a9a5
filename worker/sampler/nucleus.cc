#include "worker/sampler/nucleus.h"

#include <algorithm>

namespace quire {

TokenLogit WorstOfNucleus(std::span<Candidate> candidates, double mass) {
  // The nucleus ends within `candidates`, which all rank below what was passed
  // over so far; `mass` is what it still lacks.
  while (candidates.size() > 1) {
    const auto middle = candidates.begin() + candidates.size() / 2;
    std::nth_element(candidates.begin(), middle, candidates.end(),
                     [](const Candidate& a, const Candidate& b) {
                       return IsBetter(a.token_logit, b.token_logit);
                     });
    double better = 0;
    for (auto it = candidates.begin(); it != middle; ++it) better += it->weight;
    if (better >= mass) {
      candidates = {candidates.begin(), middle};
    } else {
      mass -= better;
      candidates = {middle, candidates.end()};
    }
  }
  return candidates.front().token_logit;
}

}  // namespace quire
