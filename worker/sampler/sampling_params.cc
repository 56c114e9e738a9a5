#include "worker/sampler/sampling_params.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"

namespace quire {
namespace {

using worker::v1::Sampling;
using worker::v1::TokenList;

template <typename T>
absl::Status Invalid(const char* field, T value, const char* limit) {
  return absl::InvalidArgumentError(
      absl::StrCat("sampling.", field, " is ", value, ", must be ", limit));
}

absl::Status CheckNumTop(const char* field, uint32_t value) {
  if (value <= kMaxTopLogprobs) return absl::OkStatus();
  return Invalid(field, value,
                 absl::StrCat("at most ", kMaxTopLogprobs).c_str());
}

absl::Status CheckNumbers(const Sampling& s) {
  // Comparisons are written so that NaN fails them.
  if (!(s.temperature() >= 0) || std::isinf(s.temperature())) {
    return Invalid("temperature", s.temperature(), "finite and at least 0");
  }
  if (s.top_k() < 0) return Invalid("top_k", s.top_k(), "at least 0");
  if (!(s.top_p() > 0 && s.top_p() <= 1)) {
    return Invalid("top_p", s.top_p(), "in (0, 1]");
  }
  if (!(s.min_p() >= 0 && s.min_p() <= 1)) {
    return Invalid("min_p", s.min_p(), "in [0, 1]");
  }
  if (!(s.repetition_penalty() > 0) || std::isinf(s.repetition_penalty())) {
    return Invalid("repetition_penalty", s.repetition_penalty(),
                   "finite and above 0");
  }
  if (!std::isfinite(s.presence_penalty())) {
    return Invalid("presence_penalty", s.presence_penalty(), "finite");
  }
  if (!std::isfinite(s.frequency_penalty())) {
    return Invalid("frequency_penalty", s.frequency_penalty(), "finite");
  }
  QUIRE_RETURN_IF_ERROR(CheckNumTop("top_logprobs", s.top_logprobs()));
  return CheckNumTop("top_prompt_logprobs", s.top_prompt_logprobs());
}

template <typename Tokens>
absl::Status CheckTokens(const char* field, const Tokens& tokens,
                         int64_t vocabulary_size) {
  for (const Token token : tokens) {
    if (token >= 0 && token < vocabulary_size) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("sampling.", field, " names token ", token,
                     ", the vocabulary has ", vocabulary_size));
  }
  return absl::OkStatus();
}

template <typename Tokens>
absl::Status CheckDistinct(const char* field, const Tokens& tokens) {
  absl::flat_hash_set<Token> seen;
  for (const Token token : tokens) {
    if (seen.insert(token).second) continue;
    return absl::InvalidArgumentError(absl::StrCat("sampling.", field,
                                                   " names token ", token,
                                                   " twice, must be distinct"));
  }
  return absl::OkStatus();
}

absl::Status CheckLists(const Sampling& s, int64_t vocabulary_size) {
  if (s.bias_tokens_size() != s.bias_values_size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("sampling has ", s.bias_tokens_size(), " bias_tokens and ",
                     s.bias_values_size(), " bias_values"));
  }
  for (const float value : s.bias_values()) {
    if (!std::isfinite(value)) return Invalid("bias_values", value, "finite");
  }
  QUIRE_RETURN_IF_ERROR(
      CheckTokens("bias_tokens", s.bias_tokens(), vocabulary_size));
  QUIRE_RETURN_IF_ERROR(CheckDistinct("bias_tokens", s.bias_tokens()));
  QUIRE_RETURN_IF_ERROR(CheckTokens(
      "banned_until_min_tokens", s.banned_until_min_tokens(), vocabulary_size));
  for (const TokenList& word : s.bad_words()) {
    if (word.tokens().empty()) {
      return absl::InvalidArgumentError("sampling.bad_words has an empty one");
    }
    QUIRE_RETURN_IF_ERROR(
        CheckTokens("bad_words", word.tokens(), vocabulary_size));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SamplingParams> SamplingParams::FromProto(
    const Sampling& proto, int64_t vocabulary_size) {
  QUIRE_RETURN_IF_ERROR(CheckNumbers(proto));
  QUIRE_RETURN_IF_ERROR(CheckLists(proto, vocabulary_size));
  SamplingParams params;
  params.temperature = proto.temperature();
  params.top_k = proto.top_k();
  params.top_p = proto.top_p();
  params.min_p = proto.min_p();
  params.repetition_penalty = proto.repetition_penalty();
  params.presence_penalty = proto.presence_penalty();
  params.frequency_penalty = proto.frequency_penalty();
  params.seed = proto.seed();
  for (int i = 0; i < proto.bias_tokens_size(); ++i) {
    params.bias.push_back({proto.bias_tokens(i), proto.bias_values(i)});
  }
  params.min_tokens = proto.min_tokens();
  params.banned_until_min_tokens.assign(proto.banned_until_min_tokens().begin(),
                                        proto.banned_until_min_tokens().end());
  for (const TokenList& word : proto.bad_words()) {
    params.bad_words.emplace_back(word.tokens().begin(), word.tokens().end());
  }
  params.top_logprobs = static_cast<int>(proto.top_logprobs());
  params.top_prompt_logprobs = static_cast<int>(proto.top_prompt_logprobs());
  return params;
}

}  // namespace quire
