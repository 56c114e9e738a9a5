#ifndef QUIRE_WORKER_SAMPLER_TOKEN_SAMPLER_H_
#define QUIRE_WORKER_SAMPLER_TOKEN_SAMPLER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "common/ids.h"
#include "worker/sampler/nucleus.h"
#include "worker/sampler/softmax.h"
#include "worker/sampler/token_history.h"
#include "worker/sampler/top_tokens.h"

namespace quire {

struct TokenLogprob {
  Token token = 0;
  float logprob = 0;
};

// A token and the log-probabilities of its place, all of the raw distribution:
// before bias, penalties, bans and temperature.
struct TokenReport {
  Token token = 0;
  float logprob = 0;
  std::vector<TokenLogprob> top;  // Alternatives, best first.
};

// Chooses tokens from rows of logits. What it answers depends on the row and
// the sequence alone; between calls it keeps nothing but buffers. One thread at
// a time; each thread of a step has its own.
//
// The order of what shapes a choice, as usual in the field:
//
//   bias, penalties -> bans -> temperature -> top_k -> top_p -> min_p -> draw
//
// top_p counts the mass of what top_k left; min_p compares with the best
// token's probability. Among equal logits the smaller id is the better token.
// Temperature 0 takes the best token. Where bans leave no token at all, the
// best token of the raw distribution is chosen.
class TokenSampler {
 public:
  // Chooses the token at `position`, which is history.size(), or later
  // where params().looks_back() is false. logits: [vocabulary_size]. False, and
  // *choice is unspecified, where they hold NaN or +infinity or nothing finite.
  bool Choose(const TokenHistory& history, int64_t position,
              std::span<const float> logits, TokenReport* choice);

  // Scores scored->token, which is given, and `num_top` alternatives. Result as
  // for Choose.
  bool Score(std::span<const float> logits, int num_top, TokenReport* scored);

 private:
  // The token at temperature > 0. `logits` are processed, the largest finite.
  Token Draw(const SamplingParams& params, int64_t position,
             std::span<const float> logits, float max);
  // Fills candidates_ with the tokens that top_k, top_p and min_p leave, by id.
  // `total` is the mass of weights_.
  void Cut(const SamplingParams& params, std::span<const float> logits,
           double total);
  // Fills candidates_ with what ranks no worse than `worst` and weighs at least
  // `lightest`.
  void Gather(std::span<const float> logits, const TokenLogit& worst,
              double lightest);
  void CutToNucleus(double mass);
  void FillTop(const RawDistribution& raw, std::span<const float> logits,
               int num_top, std::vector<TokenLogprob>* top);

  std::vector<float> processed_;       // [vocabulary_size]
  std::vector<float> weights_;         // [vocabulary_size]
  std::vector<Candidate> candidates_;  // By id.
  std::vector<Candidate> partition_;   // candidates_ in another order.
  std::vector<TokenLogit> best_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_SAMPLER_TOKEN_SAMPLER_H_
