#include "worker/sampler/token_history.h"

#include <algorithm>
#include <utility>

#include "common/check.h"

namespace quire {

TokenHistory::TokenHistory(std::vector<Token> tokens, int64_t prompt_length,
                           SamplingParams params)
    : tokens_(std::move(tokens)),
      prompt_length_(prompt_length),
      params_(std::move(params)) {
  QUIRE_CHECK(prompt_length_ <= size());
  if (!params_.has_penalties()) return;
  for (int64_t i = 0; i < size(); ++i) {
    counts_[tokens_[i]] += i < prompt_length_ ? 0 : 1;
  }
}

void TokenHistory::Append(Token token) {
  tokens_.push_back(token);
  if (params_.has_penalties()) ++counts_[token];
}

bool TokenHistory::EndsWith(std::span<const Token> suffix) const {
  return suffix.size() <= tokens_.size() &&
         std::equal(suffix.begin(), suffix.end(),
                    tokens_.end() - static_cast<int64_t>(suffix.size()));
}

}  // namespace quire
