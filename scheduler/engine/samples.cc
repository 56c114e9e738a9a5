#include "scheduler/engine/samples.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace quire {

Samples::Samples(GenerationRequest& request)
    : request_(request), outputs_(MakeOutputs(request, request.num_sequences)) {
  if (request.num_returned < request.num_sequences) {
    held_.resize(request.num_sequences);
  }
}

SequenceChanges Samples::Continue(Sequence& sequence, TokenScores scores,
                                  ClientOutput output) {
  const uint32_t index = sequence.index();
  sequence.AppendToken(scores.chosen.token);
  const FinishReason end =
      outputs_[index].Append(request_, std::move(scores),
                             sequence.num_generated(), DeltaOf(index, output));
  if (end == FinishReason::kNone) return {.num_gained = 1};
  ++num_ended_;
  if (is_ranked() && num_ended_ == outputs_.size()) DeliverRanked(output);
  return {.ended = {&sequence}, .reason = end, .num_gained = 1};
}

void Samples::AddPromptScores(TokenScores scores, ClientOutput output) {
  DeltaOf(0, output).prompt_logprobs.push_back(std::move(scores));
}

SequenceDelta& Samples::DeltaOf(uint32_t index, ClientOutput output) {
  return is_ranked() ? held_[index] : output.DeltaOf(index);
}

void Samples::DeliverRanked(ClientOutput output) {
  for (uint32_t i = 0; i < held_.size(); ++i) {
    held_[i].score = outputs_[i].cumulative_logprob() /
                     static_cast<double>(held_[i].tokens.size());
  }
  std::vector<TokenScores> prompt = std::move(held_[0].prompt_logprobs);
  std::ranges::stable_sort(held_, std::greater(), &SequenceDelta::score);
  held_[0].prompt_logprobs = std::move(prompt);
  for (uint32_t rank = 0; rank < request_.num_returned; ++rank) {
    held_[rank].sequence = rank;
    output.DeltaOf(rank) = std::move(held_[rank]);
  }
}

}  // namespace quire
