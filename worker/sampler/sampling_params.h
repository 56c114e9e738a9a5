#ifndef QUIRE_WORKER_SAMPLER_SAMPLING_PARAMS_H_
#define QUIRE_WORKER_SAMPLER_SAMPLING_PARAMS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "common/ids.h"
#include "quire/worker/v1/plan.pb.h"

namespace quire {

// Alternatives that can be reported with a token. A beam search needs twice as
// many as its width.
inline constexpr int kMaxTopLogprobs = 64;

struct TokenBias {
  Token token = 0;
  float value = 0;
};

// How the tokens of one sequence are chosen: worker.v1.Sampling, checked, as
// plain data. The meaning of each field is stated there.
struct SamplingParams {
  float temperature = 0;
  int top_k = 0;
  float top_p = 1;
  float min_p = 0;
  float repetition_penalty = 1;
  float presence_penalty = 0;
  float frequency_penalty = 0;
  uint64_t seed = 0;
  std::vector<TokenBias> bias;
  uint32_t min_tokens = 0;
  std::vector<Token> banned_until_min_tokens;
  std::vector<std::vector<Token>> bad_words;
  int top_logprobs = 0;
  int top_prompt_logprobs = 0;

  // INVALID_ARGUMENT names the field, its value and the limit.
  static absl::StatusOr<SamplingParams> FromProto(
      const worker::v1::Sampling& proto, int64_t vocabulary_size);

  bool is_greedy() const { return temperature == 0; }
  // Whether a choice depends on which tokens are before it.
  bool looks_back() const { return has_penalties() || !bad_words.empty(); }
  bool has_penalties() const {
    return repetition_penalty != 1 || presence_penalty != 0 ||
           frequency_penalty != 0;
  }
};

}  // namespace quire

#endif  // QUIRE_WORKER_SAMPLER_SAMPLING_PARAMS_H_
