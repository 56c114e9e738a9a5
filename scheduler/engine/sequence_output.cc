#include "scheduler/engine/sequence_output.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace quire {
namespace {

// The ranks keep to min_tokens by banning these tokens until then; one that was
// chosen earlier is an ordinary token.
bool IsStopToken(const GenerationRequest& request, Token token,
                 uint32_t num_generated) {
  const auto& stops = request.stop_tokens;
  return num_generated > request.sampling.min_tokens() &&
         std::find(stops.begin(), stops.end(), token) != stops.end();
}

}  // namespace

SequenceOutput::SequenceOutput(uint32_t index,
                               std::unique_ptr<OutputFilter> filter)
    : index_(index), filter_(std::move(filter)) {
  delta_.sequence = index;
}

FinishReason SequenceOutput::Append(const GenerationRequest& request,
                                    TokenScores scores,
                                    uint32_t num_generated) {
  const Token token = scores.chosen.token;
  const bool ends = IsStopToken(request, token, num_generated);
  cumulative_logprob_ += scores.chosen.logprob;
  delta_.tokens.push_back(token);
  has_delta_ = true;
  if (request.reports_logprobs) delta_.logprobs.push_back(std::move(scores));

  OutputFilter::Output output;
  if (filter_) output = filter_->Append(token, ends);
  delta_.text += output.text;
  if (output.stop.has_value()) {
    delta_.finish_reason = FinishReason::kStop;
    delta_.stop_reason = *std::move(output.stop);
  } else if (ends || num_generated >= request.max_tokens) {
    if (filter_) delta_.text += filter_->Finish();
    delta_.finish_reason = ends ? FinishReason::kStop : FinishReason::kLength;
    if (ends) delta_.stop_reason = absl::StrCat(token);
  }
  return delta_.finish_reason;
}

void SequenceOutput::AddPromptScores(TokenScores scores) {
  delta_.prompt_logprobs.push_back(std::move(scores));
  has_delta_ = true;
}

SequenceDelta SequenceOutput::TakeDelta() {
  has_delta_ = false;
  SequenceDelta delta = std::exchange(delta_, SequenceDelta());
  delta_.sequence = index_;
  return delta;
}

std::vector<SequenceOutput> MakeOutputs(GenerationRequest& request,
                                        uint32_t count) {
  const bool makes_text = !request.filters.empty();
  QUIRE_CHECK(!makes_text || request.filters.size() == request.num_sequences);
  std::vector<SequenceOutput> outputs;
  for (uint32_t i = 0; i < count; ++i) {
    outputs.emplace_back(i,
                         makes_text ? std::move(request.filters[i]) : nullptr);
  }
  return outputs;
}

}  // namespace quire
