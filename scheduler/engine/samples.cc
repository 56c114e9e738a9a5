#include "scheduler/engine/samples.h"

#include <algorithm>
#include <utility>

namespace quire {

Samples::Samples(GenerationRequest& request)
    : request_(request),
      outputs_(MakeOutputs(request, request.num_sequences)) {}

SequenceChanges Samples::Continue(Sequence& sequence, TokenScores scores) {
  sequence.AppendToken(scores.chosen.token);
  const FinishReason end = outputs_[sequence.index()].Append(
      request_, std::move(scores), sequence.num_generated());
  if (end == FinishReason::kNone) return {};
  ++num_ended_;
  return {.ended = {&sequence}, .reason = end};
}

void Samples::AddPromptScores(TokenScores scores) {
  outputs_.front().AddPromptScores(std::move(scores));
}

void Samples::TakeDeltas(const std::function<void(SequenceDelta)>& deliver) {
  if (is_ranked()) {
    if (num_ended_ == outputs_.size()) DeliverRanked(deliver);
    return;
  }
  for (SequenceOutput& output : outputs_) {
    if (output.has_delta()) deliver(output.TakeDelta());
  }
}

void Samples::DeliverRanked(const std::function<void(SequenceDelta)>& deliver) {
  std::vector<SequenceDelta> deltas;
  for (SequenceOutput& output : outputs_) {
    SequenceDelta& delta = deltas.emplace_back(output.TakeDelta());
    delta.score =
        output.cumulative_logprob() / static_cast<double>(delta.tokens.size());
  }
  std::vector<TokenScores> prompt = std::move(deltas[0].prompt_logprobs);
  std::ranges::stable_sort(deltas, std::greater(), &SequenceDelta::score);
  deltas[0].prompt_logprobs = std::move(prompt);
  for (uint32_t rank = 0; rank < request_.num_returned; ++rank) {
    deltas[rank].sequence = rank;
    deliver(std::move(deltas[rank]));
  }
}

}  // namespace quire
