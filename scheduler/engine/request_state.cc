#include "scheduler/engine/request_state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace quire {

RequestState::RequestState(GenerationRequest request, PlaceInOrder place,
                           SequenceId id, absl::Time arrived)
    : request_(std::move(request)),
      place_(place),
      arrived_(arrived),
      sequence_(id, std::move(request_.prompt), request_.max_tokens) {}

RequestUsage RequestState::usage() const {
  return {.prompt_tokens = sequence_.prompt_length(),
          .generated_tokens = sequence_.num_generated()};
}

AdmissionRequest RequestState::admission() const {
  return {.prompt_tokens = sequence_.prompt_length(),
          .max_tokens = sequence_.max_tokens(),
          .known_tokens = sequence_.known(),
          .was_preempted = num_preemptions_ > 0};
}

void RequestState::OnAdmitted() {
  known_at_admission_ = sequence_.known();
  ++num_admissions_;
}

uint32_t RequestState::PromptScoresOf(const Run& run) const {
  const uint32_t prompt_length = sequence_.prompt_length();
  if (!request_.reports_prompt_logprobs || next_scored_ >= prompt_length ||
      run.end() < next_scored_) {
    return 0;
  }
  const uint32_t last = prompt_length - 1;  // No row before it scores beyond.
  return std::min(run.end(), last) - std::min(run.position, last);
}

void RequestState::AddPromptScores(uint32_t position, TokenScores scores) {
  if (position != next_scored_) return;
  ++next_scored_;
  delta_.prompt_logprobs.push_back(std::move(scores));
  has_delta_ = true;
}

FinishReason RequestState::AppendToken(TokenScores scores, absl::Time now) {
  const Token token = scores.chosen.token;
  const bool ends = IsStopToken(token);
  sequence_.AppendToken(token);
  last_token_ = now;
  num_failed_steps_ = 0;
  delta_.tokens.push_back(token);
  has_delta_ = true;
  if (request_.reports_logprobs) delta_.logprobs.push_back(std::move(scores));

  OutputFilter::Output output;
  if (request_.filter) output = request_.filter->Append(token, ends);
  delta_.text += output.text;
  const bool full = sequence_.num_generated() >= sequence_.max_tokens();
  if (output.stop.has_value()) {
    delta_.finish_reason = FinishReason::kStop;
    delta_.stop_reason = *std::move(output.stop);
  } else if (ends || full) {
    if (request_.filter) delta_.text += request_.filter->Finish();
    delta_.finish_reason = ends ? FinishReason::kStop : FinishReason::kLength;
    if (ends) delta_.stop_reason = absl::StrCat(token);
  }
  return delta_.finish_reason;
}

SequenceDelta RequestState::TakeDelta() {
  has_delta_ = false;
  return std::exchange(delta_, SequenceDelta());
}

// The ranks keep to min_tokens by banning these tokens until then; one that
// was chosen earlier is an ordinary token.
bool RequestState::IsStopToken(Token token) const {
  const auto& stops = request_.stop_tokens;
  return sequence_.num_generated() >= request_.sampling.min_tokens() &&
         std::find(stops.begin(), stops.end(), token) != stops.end();
}

}  // namespace quire
