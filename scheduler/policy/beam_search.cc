#include "scheduler/policy/beam_search.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace quire {
namespace {

double ScoreOf(const BeamSearchRules& rules, double cumulative_logprob,
               uint32_t num_generated) {
  return cumulative_logprob / std::pow(num_generated, rules.length_penalty);
}

// Whether a beam may still become one of the hypotheses that are kept.
bool CanImprove(const BeamSearchRules& rules, uint32_t num_generated,
                const BeamCandidate& best_beam, std::vector<double> scores) {
  if (scores.size() < rules.width) return true;
  if (rules.early_stopping == EarlyStopping::kTrue) return false;
  std::ranges::sort(scores, std::greater());
  const double worst_kept = scores[rules.width - 1];
  // Log-probabilities only fall, so more tokens help by the penalty alone.
  const bool may_grow =
      rules.early_stopping == EarlyStopping::kNever && rules.length_penalty > 0;
  return ScoreOf(rules, best_beam.cumulative_logprob,
                 may_grow ? rules.max_tokens : num_generated) > worst_kept;
}

}  // namespace

BeamSearchStep StepBeamSearch(const BeamSearchRules& rules,
                              uint32_t num_generated,
                              std::vector<BeamCandidate> candidates,
                              std::span<const double> kept_scores) {
  std::ranges::stable_sort(candidates, std::greater(),
                           &BeamCandidate::cumulative_logprob);
  const bool is_last = num_generated >= rules.max_tokens;
  BeamSearchStep step;
  std::vector<double> scores(kept_scores.begin(), kept_scores.end());
  for (size_t rank = 0; rank < candidates.size(); ++rank) {
    const BeamCandidate& candidate = candidates[rank];
    if (candidate.ends || is_last) {
      if (rank >= rules.width) continue;
      scores.push_back(
          ScoreOf(rules, candidate.cumulative_logprob, num_generated));
      step.hypotheses.push_back({.last = candidate, .score = scores.back()});
    } else if (step.beams.size() < rules.width) {
      step.beams.push_back(candidate);
    }
  }
  if (!step.beams.empty() &&
      !CanImprove(rules, num_generated, step.beams.front(), scores)) {
    step.beams.clear();
  }
  return step;
}

}  // namespace quire
