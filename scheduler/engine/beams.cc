#include "scheduler/engine/beams.h"

#include <algorithm>
#include <utility>

#include "common/check.h"

namespace quire {

Beams::Beams(GenerationRequest& request)
    : request_(request),
      rules_{.width = request.num_sequences,
             .length_penalty = request.beams->length_penalty,
             .early_stopping = request.beams->early_stopping,
             .max_tokens = request.max_tokens},
      outputs_(MakeOutputs(request, request.num_returned)) {}

void Beams::OnAdmitted() {
  for (Beam& beam : beams_) beam.found.reset();
}

SequenceChanges Beams::Continue(Sequence& sequence, TokenScores scores,
                                ClientOutput output) {
  QUIRE_CHECK(sequence.index() < beams_.size());
  Beam& reported = beams_[sequence.index()];
  reported.found = std::move(scores);
  reported.sequence = &sequence;
  if (!std::ranges::all_of(
          beams_, [](const Beam& beam) { return beam.found.has_value(); })) {
    return {};
  }
  const uint32_t num_generated = sequence.num_generated() + 1;
  std::vector<double> kept;
  for (const Hypothesis& hypothesis : hypotheses_) {
    kept.push_back(hypothesis.score);
  }
  const BeamSearchStep step =
      StepBeamSearch(rules_, num_generated, Candidates(num_generated), kept);
  Keep(step.hypotheses);
  SequenceChanges changes;
  std::vector<Beam> next;
  for (const BeamCandidate& candidate : step.beams) {
    changes.branches.push_back({.parent = beams_[candidate.beam].sequence,
                                .index = static_cast<uint32_t>(next.size()),
                                .token = candidate.token});
    next.push_back({.cumulative_logprob = candidate.cumulative_logprob,
                    .last = AddNode(candidate)});
  }
  for (const Beam& beam : beams_) changes.ended.push_back(beam.sequence);
  changes.num_gained = static_cast<uint32_t>(beams_.size());
  beams_ = std::move(next);
  if (step.done()) {
    for (uint32_t rank = 0; rank < outputs_.size(); ++rank) {
      const FinishReason end = Deliver(rank, output);
      if (rank == 0) changes.reason = end;
    }
  }
  return changes;
}

// An end that comes before min_tokens is none.
std::vector<BeamCandidate> Beams::Candidates(uint32_t num_generated) const {
  const bool may_end = num_generated > request_.sampling.min_tokens();
  std::vector<BeamCandidate> candidates;
  for (uint32_t i = 0; i < beams_.size(); ++i) {
    for (const ScoredToken& found : beams_[i].found->top) {
      const bool ends =
          std::ranges::count(request_.stop_tokens, found.token) > 0;
      if (ends && !may_end) continue;
      candidates.push_back(
          {.beam = i,
           .token = found.token,
           .cumulative_logprob = beams_[i].cumulative_logprob + found.logprob,
           .ends = ends});
    }
  }
  return candidates;
}

uint32_t Beams::AddNode(const BeamCandidate& candidate) {
  const Beam& beam = beams_[candidate.beam];
  const std::vector<ScoredToken>& top = beam.found->top;
  Node& node = nodes_.emplace_back();
  node.before = beam.last;
  node.scores.chosen =
      *std::ranges::find(top, candidate.token, &ScoredToken::token);
  const size_t num_shown =
      std::min<size_t>(top.size(), request_.beams->top_logprobs);
  node.scores.top.assign(top.begin(), top.begin() + num_shown);
  return static_cast<uint32_t>(nodes_.size() - 1);
}

void Beams::Keep(std::span<const BeamHypothesis> complete) {
  for (const BeamHypothesis& hypothesis : complete) {
    hypotheses_.push_back(
        {.last = AddNode(hypothesis.last), .score = hypothesis.score});
  }
  std::ranges::stable_sort(hypotheses_, std::greater(), &Hypothesis::score);
  if (hypotheses_.size() > rules_.width) hypotheses_.resize(rules_.width);
}

FinishReason Beams::Deliver(uint32_t rank, ClientOutput output) {
  const Hypothesis& hypothesis = hypotheses_[rank];
  SequenceDelta& delta = output.DeltaOf(rank);
  if (rank == 0) delta.prompt_logprobs = std::move(prompt_scores_);
  delta.score = hypothesis.score;
  std::vector<uint32_t> path;
  for (uint32_t i = hypothesis.last; i != kNoNode; i = nodes_[i].before) {
    path.push_back(i);
  }
  FinishReason end = FinishReason::kNone;
  uint32_t num_generated = 0;
  for (auto i = path.rbegin(); i != path.rend(); ++i) {
    end = outputs_[rank].Append(request_, nodes_[*i].scores, ++num_generated,
                                delta);
  }
  return end;
}

void Beams::AddPromptScores(TokenScores scores, ClientOutput) {
  prompt_scores_.push_back(std::move(scores));
}

}  // namespace quire
