#ifndef QUIRE_TESTS_SCHEDULER_ENGINE_ASK_H_
#define QUIRE_TESTS_SCHEDULER_ENGINE_ASK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/ids.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/engine/output_filter.h"
#include "scheduler/policy/order.h"

namespace quire {

// What a test's client asks for; the rest as a frontend would resolve it.
struct Ask {
  std::vector<Token> prompt = {1, 2, 3};
  uint32_t max_tokens = 4;
  uint32_t min_tokens = 0;
  uint32_t least_tokens = 1;
  std::vector<Token> stops;
  bool logprobs = false;
  bool prompt_logprobs = false;
  Priority priority = Priority::kNormal;
  absl::Time deadline = absl::InfiniteFuture();
  std::unique_ptr<OutputFilter> filter;
  uint32_t n = 1;
  uint32_t best_of = 0;     // 0: n.
  uint32_t beam_width = 0;  // 0: no beam search.
  double length_penalty = 1;
  EarlyStopping early_stopping = EarlyStopping::kFalse;
  std::string cache_salt;
  bool cache_bypass = false;
  float repetition_penalty = 1;  // Which puppets do not heed.
};

GenerationRequest MakeRequest(RequestId id, Ask ask,
                              std::shared_ptr<Mailbox> mailbox);

// What the puppets' model answers to it, to the token: of each sequence or
// hypothesis.
std::vector<std::vector<Token>> AnswerAlone(const Ask& ask);

// `length` tokens, other ones for another seed.
std::vector<Token> MakePrompt(uint64_t seed, uint32_t length);

}  // namespace quire

#endif  // QUIRE_TESTS_SCHEDULER_ENGINE_ASK_H_
