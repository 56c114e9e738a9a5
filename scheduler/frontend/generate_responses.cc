#include "scheduler/frontend/generate_responses.h"

#include <algorithm>
#include <span>
#include <utility>

namespace quire {
namespace {

using Responses = std::deque<v1::GenerateResponse>;
using LogprobField = google::protobuf::RepeatedPtrField<v1::TokenLogprobs>;

v1::FinishReason ToProto(FinishReason reason) {
  switch (reason) {
    case FinishReason::kNone:
      return v1::FINISH_REASON_UNSPECIFIED;
    case FinishReason::kStop:
      return v1::FINISH_REASON_STOP;
    case FinishReason::kLength:
      return v1::FINISH_REASON_LENGTH;
  }
  return v1::FINISH_REASON_UNSPECIFIED;
}

// The part of `all` that belongs to message number `index`; empty behind the
// end.
template <typename List>
auto Part(const List& list, size_t index) {
  const std::span all(list);
  const size_t begin = std::min(index * kMaxTokensPerResponse, all.size());
  return all.subspan(begin,
                     std::min(kMaxTokensPerResponse, all.size() - begin));
}

void AddScores(std::span<const TokenScores> scores, LogprobField* field) {
  for (const TokenScores& token : scores) {
    v1::TokenLogprobs* added = field->Add();
    added->set_token_id(token.chosen.token);
    added->set_logprob(token.chosen.logprob);
    for (const ScoredToken& other : token.top) {
      v1::TokenLogprob* top = added->add_top();
      top->set_token_id(other.token);
      top->set_logprob(other.logprob);
    }
  }
}

size_t NumParts(size_t num_entries) {
  return (num_entries + kMaxTokensPerResponse - 1) / kMaxTokensPerResponse;
}

void AddDelta(SequenceDelta delta, Responses* responses) {
  // The first tokens share a message with the last of the prompt.
  const size_t first =
      std::max(NumParts(delta.prompt_logprobs.size()), size_t{1}) - 1;
  const size_t num_messages =
      first + std::max(NumParts(delta.tokens.size()), size_t{1});
  for (size_t i = 0; i < num_messages; ++i) {
    v1::GenerateResponse& response = responses->emplace_back();
    response.set_sequence(delta.sequence);
    AddScores(Part(delta.prompt_logprobs, i),
              response.mutable_prompt_logprobs());
    if (i < first) continue;
    const std::span<const Token> tokens = Part(delta.tokens, i - first);
    response.mutable_token_ids()->Assign(tokens.begin(), tokens.end());
    AddScores(Part(delta.logprobs, i - first), response.mutable_logprobs());
  }
  v1::GenerateResponse& last = responses->back();
  last.set_text(std::move(delta.text));
  last.set_finish_reason(ToProto(delta.finish_reason));
  last.set_stop_reason(std::move(delta.stop_reason));
  if (delta.score.has_value()) last.set_score(*delta.score);
}

void SetUsage(const RequestUsage& usage, v1::Usage* proto) {
  proto->set_prompt_tokens(usage.prompt_tokens);
  proto->set_cached_prompt_tokens(usage.cached_prompt_tokens);
  proto->set_generated_tokens(usage.generated_tokens);
}

}  // namespace

std::deque<v1::GenerateResponse> ToResponses(Mailbox::Contents contents) {
  Responses responses;
  for (SequenceDelta& delta : contents.deltas)
    AddDelta(std::move(delta), &responses);
  if (contents.closed && contents.status.ok()) {
    if (responses.empty()) responses.emplace_back();
    SetUsage(contents.usage, responses.back().mutable_usage());
  }
  return responses;
}

}  // namespace quire
