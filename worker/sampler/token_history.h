#ifndef QUIRE_WORKER_SAMPLER_TOKEN_HISTORY_H_
#define QUIRE_WORKER_SAMPLER_TOKEN_HISTORY_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ids.h"
#include "worker/sampler/sampling_params.h"

namespace quire {

// What a sequence holds and how its next token is chosen: its tokens, where the
// prompt ends, and how often each token was generated. Grows by one token at a
// time. Not thread-safe.
class TokenHistory {
 public:
  // REQUIRES: prompt_length <= tokens.size().
  TokenHistory(std::vector<Token> tokens, int64_t prompt_length,
               SamplingParams params);

  // The token goes to position size().
  void Append(Token token);

  const SamplingParams& params() const { return params_; }
  std::span<const Token> tokens() const { return tokens_; }
  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }
  int64_t prompt_length() const { return prompt_length_; }

  // Distinct token of prompt and generation -> how often it was generated: 0
  // where only the prompt has it. Kept only where params() has penalties.
  const absl::flat_hash_map<Token, uint32_t>& counts() const { return counts_; }

  // Whether the tokens end with `suffix`.
  bool EndsWith(std::span<const Token> suffix) const;

 private:
  std::vector<Token> tokens_;
  int64_t prompt_length_;
  SamplingParams params_;
  absl::flat_hash_map<Token, uint32_t> counts_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_SAMPLER_TOKEN_HISTORY_H_
