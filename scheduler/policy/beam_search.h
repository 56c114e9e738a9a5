#ifndef QUIRE_SCHEDULER_POLICY_BEAM_SEARCH_H_
#define QUIRE_SCHEDULER_POLICY_BEAM_SEARCH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "common/ids.h"

namespace quire {

// When a search with as many hypotheses as its width ends before max_tokens;
// the names are those of Hugging Face's `early_stopping`.
enum class EarlyStopping {
  kFalse,  // No beam would be better than the worst one if it ended here.
  kTrue,   // At once.
  kNever,  // No beam can become better than the worst one.
};

struct BeamSearchRules {
  uint32_t width = 1;  // Beams, and hypotheses: at least 1.
  double length_penalty = 1;
  EarlyStopping early_stopping = EarlyStopping::kFalse;
  uint32_t max_tokens = 1;
};

// A beam and a token that may follow it.
struct BeamCandidate {
  uint32_t beam = 0;  // Its index.
  Token token = 0;
  double cumulative_logprob = 0;  // Of all generated tokens, this one included.
  bool ends = false;              // The token ends a sequence.
};

// A complete continuation: the higher its score, the better.
struct BeamHypothesis {
  BeamCandidate last;
  double score = 0;  // cumulative_logprob / generated tokens ^ length_penalty
};

struct BeamSearchStep {
  std::vector<BeamCandidate> beams;        // That go on, best first.
  std::vector<BeamHypothesis> hypotheses;  // That are complete now.
  bool done() const { return beams.empty(); }
};

// How many of a beam's likeliest tokens must be candidates so that the choice
// is the one among all tokens of the vocabulary.
constexpr uint32_t CandidatesPerBeam(uint32_t width, uint32_t num_end_tokens) {
  return width + num_end_tokens;
}

// One step of a beam search. The `width` best candidates that do not end are
// the next beams; those that end are hypotheses where they are among the
// `width` best of all. With the last token that is allowed, all of these are.
//
// `num_generated`: tokens of a candidate, counted from 1. `kept_scores`: of the
// hypotheses so far, at most `width`; the caller keeps the best ones.
//
// The search is the one of Hugging Face transformers (GenerationMixin's
// _beam_search since version 4.50), so that its results can be compared.
BeamSearchStep StepBeamSearch(const BeamSearchRules& rules,
                              uint32_t num_generated,
                              std::vector<BeamCandidate> candidates,
                              std::span<const double> kept_scores);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_BEAM_SEARCH_H_
