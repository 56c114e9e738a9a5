#include "scheduler/frontend/model_limits.h"

#include <algorithm>
#include <set>

#include "common/message_limits.h"

namespace quire {
namespace {

// A character that no token spells may become one unknown token: 4 bytes.
constexpr uint32_t kLongestCharacter = 4;

uint32_t LongestTokenBytes(const Tokenizer& tokenizer) {
  size_t longest = kLongestCharacter;
  for (Token token = 0; token < tokenizer.vocabulary_size(); ++token)
    longest = std::max(longest, tokenizer.TokenBytes(token).size());
  return static_cast<uint32_t>(longest);
}

// The longest Tokenize and Detokenize requests, and all that is not the prompt.
constexpr uint64_t kOtherBytes = 8 << 20;

}  // namespace

int MaxRequestBytes(const ModelLimits& limits) {
  const uint64_t text =
      uint64_t{limits.context_length} * limits.longest_token_bytes;
  return static_cast<int>(
      std::min<uint64_t>(2 * text + kOtherBytes, kMaxMessageBytes));
}

ModelLimits LimitsOf(const ModelConfig& config, const Tokenizer& tokenizer) {
  ModelLimits limits;
  limits.vocabulary_size = static_cast<uint32_t>(config.vocabulary_size);
  limits.context_length = static_cast<uint32_t>(config.context_length);
  limits.longest_token_bytes = LongestTokenBytes(tokenizer);
  std::set<Token> eos(config.eos_token_ids.begin(), config.eos_token_ids.end());
  eos.insert(tokenizer.eos_token_ids().begin(),
             tokenizer.eos_token_ids().end());
  // A tokenizer may know tokens that the model has no row for.
  std::erase_if(eos, [&](Token token) {
    return token < 0 || token >= config.vocabulary_size;
  });
  limits.eos_token_ids.assign(eos.begin(), eos.end());
  return limits;
}

}  // namespace quire
