#include "scheduler/engine/request_state.h"

#include <algorithm>
#include <utility>

#include "common/check.h"

namespace quire {

RequestState::RequestState(GenerationRequest request, PlaceInOrder place,
                           const std::function<SequenceId()>& next_id,
                           absl::Time arrived)
    : request_(std::move(request)),
      place_(place),
      arrived_(arrived),
      prompt_length_(static_cast<uint32_t>(request_.prompt.size())) {
  QUIRE_CHECK(request_.filters.empty() ||
              request_.filters.size() == request_.num_sequences);
  for (uint32_t i = 0; i < request_.num_sequences; ++i) {
    sequences_.push_back(std::make_unique<Sequence>(
        next_id(), i, request_.prompt, request_.max_tokens));
    outputs_.push_back(
        {.output = SequenceOutput(i, request_.filters.empty()
                                         ? nullptr
                                         : std::move(request_.filters[i]))});
  }
}

RequestUsage RequestState::usage() const {
  return {.prompt_tokens = prompt_length_,
          .cached_prompt_tokens = num_cached_,
          .generated_tokens = num_generated_};
}

void RequestState::EndSequence(Sequence& sequence) {
  const auto place = std::find_if(
      sequences_.begin(), sequences_.end(),
      [&](const auto& candidate) { return candidate.get() == &sequence; });
  QUIRE_CHECK(place != sequences_.end());
  for (const auto& other : sequences_) {
    if (other->parent() != &sequence) continue;
    other->TryFork();
    QUIRE_CHECK(!other->awaiting());
    other->ForgetParent();
  }
  sequences_.erase(place);
}

SequenceLengths RequestState::LengthsOf(const Sequence& sequence) const {
  return {.prompt_tokens = prompt_length_,
          .max_tokens = request_.max_tokens,
          .known_tokens = sequence.known()};
}

uint32_t RequestState::SharedSlots(const Sequence& sequence) const {
  if (&sequence == &leader()) return 0;
  const auto mine = sequence.tokens().first(sequence.known() - 1);
  const auto theirs = leader().tokens();
  return static_cast<uint32_t>(std::ranges::mismatch(mine, theirs).in1 -
                               mine.begin());
}

void RequestState::OnAdmitted(bool in_full, uint32_t num_cached) {
  admitted_in_full_ = in_full;
  if (num_admissions_ == 0) num_cached_ = std::min(num_cached, prompt_length_);
  for (const auto& sequence : sequences_) {
    outputs_[sequence->index()].known_at_admission = sequence->known();
  }
  ++num_admissions_;
}

bool RequestState::is_protected() const {
  return admitted_in_full_ &&
         std::ranges::any_of(sequences_, [&](const auto& sequence) {
           return sequence->known() ==
                  outputs_[sequence->index()].known_at_admission;
         });
}

uint32_t RequestState::PromptScoresOf(const Sequence& sequence,
                                      const Run& run) const {
  if (!request_.reports_prompt_logprobs || &sequence != &leader() ||
      next_scored_ >= prompt_length_ || run.end() < next_scored_) {
    return 0;
  }
  const uint32_t last = prompt_length_ - 1;  // No row before it scores beyond.
  return std::min(run.end(), last) - std::min(run.position, last);
}

void RequestState::AddPromptScores(uint32_t position, TokenScores scores) {
  if (position != next_scored_) return;
  ++next_scored_;
  outputs_.front().output.AddPromptScores(std::move(scores));
}

FinishReason RequestState::AppendToken(Sequence& sequence, TokenScores scores,
                                       absl::Time now) {
  Output& output = outputs_[sequence.index()];
  sequence.AppendToken(scores.chosen.token);
  output.last_token = now;
  ++num_generated_;
  num_failed_steps_ = 0;
  const FinishReason end = output.output.Append(request_, std::move(scores),
                                                sequence.num_generated());
  if (end != FinishReason::kNone) ++num_ended_;
  return end;
}

void RequestState::TakeDeltas(
    const std::function<void(SequenceDelta)>& deliver) {
  if (is_ranked()) {
    if (num_ended_ == outputs_.size()) DeliverRanked(deliver);
    return;
  }
  for (Output& output : outputs_) {
    if (output.output.has_delta()) deliver(output.output.TakeDelta());
  }
}

void RequestState::DeliverRanked(
    const std::function<void(SequenceDelta)>& deliver) {
  std::vector<SequenceDelta> deltas;
  for (Output& output : outputs_) {
    SequenceDelta& delta = deltas.emplace_back(output.output.TakeDelta());
    delta.score = output.output.cumulative_logprob() /
                  static_cast<double>(delta.tokens.size());
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
