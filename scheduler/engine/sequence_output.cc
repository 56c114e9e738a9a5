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
  return std::find(stops.begin(), stops.end(), token) != stops.end() &&
         num_generated > request.sampling.min_tokens();
}

}  // namespace

FinishReason SequenceOutput::Append(const GenerationRequest& request,
                                    TokenScores scores, uint32_t num_generated,
                                    SequenceDelta& delta) {
  const Token token = scores.chosen.token;
  const bool ends = IsStopToken(request, token, num_generated);
  cumulative_logprob_ += scores.chosen.logprob;
  delta.tokens.push_back(token);
  if (request.reports_logprobs) delta.logprobs.push_back(std::move(scores));

  if (filter_) {
    OutputFilter::Output output = filter_->Append(token, ends);
    delta.text += output.text;
    if (output.stop.has_value()) {
      delta.finish_reason = FinishReason::kStop;
      delta.stop_reason = *std::move(output.stop);
      return delta.finish_reason;
    }
  }
  if (ends || num_generated >= request.max_tokens) {
    if (filter_) delta.text += filter_->Finish();
    delta.finish_reason = ends ? FinishReason::kStop : FinishReason::kLength;
    if (ends) delta.stop_reason = absl::StrCat(token);
  }
  return delta.finish_reason;
}

std::vector<SequenceOutput> MakeOutputs(GenerationRequest& request,
                                        uint32_t count) {
  const bool makes_text = !request.filters.empty();
  QUIRE_CHECK(!makes_text || request.filters.size() == request.num_sequences);
  std::vector<SequenceOutput> outputs;
  for (uint32_t i = 0; i < count; ++i) {
    outputs.emplace_back(makes_text ? std::move(request.filters[i]) : nullptr);
  }
  return outputs;
}

}  // namespace quire
