#include "worker/sampler/logit_processors.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/ids.h"
#include "worker/sampler/sampling_params.h"

namespace quire {
namespace {

constexpr float kBanned = -std::numeric_limits<float>::infinity();
// The difference of two such logits is still finite.
constexpr float kLargest = std::numeric_limits<float>::max() / 4;

void Set(float& logit, float value) {
  if (logit != kBanned) logit = std::clamp(value, -kLargest, kLargest);
}

void ApplyBias(const SamplingParams& params, std::span<float> logits) {
  for (const TokenBias& bias : params.bias) {
    float& logit = logits[bias.token];
    Set(logit, logit + bias.value);
  }
}

void ApplyPenalties(const TokenHistory& history, std::span<float> logits) {
  const SamplingParams& params = history.params();
  // The order of a hash map does not matter: each token is changed once.
  for (const auto& [token, generated] : history.counts()) {
    float& logit = logits[token];
    Set(logit, logit > 0 ? logit / params.repetition_penalty
                         : logit * params.repetition_penalty);
    if (generated == 0) continue;
    Set(logit, logit -
                   params.frequency_penalty * static_cast<float>(generated) -
                   params.presence_penalty);
  }
}

bool IsBelowMinTokens(const TokenHistory& history, int64_t position) {
  return position - history.prompt_length() <
         int64_t{history.params().min_tokens};
}

void ApplyBans(const TokenHistory& history, int64_t position,
               std::span<float> logits) {
  const SamplingParams& params = history.params();
  if (IsBelowMinTokens(history, position)) {
    for (const Token token : params.banned_until_min_tokens) {
      logits[token] = kBanned;
    }
  }
  for (const std::vector<Token>& word : params.bad_words) {
    const std::span<const Token> prefix(word.data(), word.size() - 1);
    if (history.EndsWith(prefix)) logits[word.back()] = kBanned;
  }
}

}  // namespace

void ApplyLogitProcessors(const TokenHistory& history, int64_t position,
                          std::span<float> logits) {
  ApplyBias(history.params(), logits);
  ApplyPenalties(history, logits);
  ApplyBans(history, position, logits);
}

bool HasLogitProcessors(const TokenHistory& history, int64_t position) {
  const SamplingParams& params = history.params();
  return !params.bias.empty() || !history.counts().empty() ||
         !params.bad_words.empty() ||
         (IsBelowMinTokens(history, position) &&
          !params.banned_until_min_tokens.empty());
}

}  // namespace quire
