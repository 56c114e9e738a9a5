#ifndef QUIRE_WORKER_SAMPLER_LOGIT_PROCESSORS_H_
#define QUIRE_WORKER_SAMPLER_LOGIT_PROCESSORS_H_

#include <span>

#include "worker/sampler/token_history.h"

namespace quire {

// Changes the logits for the token at `position` (see TokenSampler::Choose) as
// the sequence's parameters ask, before temperature and the cuts of the
// distribution:
//
//   bias -> repetition, then frequency and presence penalty -> bans
//
// A banned token's logit becomes -infinity: those of banned_until_min_tokens
// while fewer than min_tokens are generated, and the last token of each bad
// word whose other tokens the sequence ends with. The repetition penalty
// divides positive logits and multiplies others (Keskar et al., CTRL, 2019).
// What was finite and is not banned stays finite.
void ApplyLogitProcessors(const TokenHistory& history, int64_t position,
                          std::span<float> logits);

// False where ApplyLogitProcessors is sure to change nothing.
bool HasLogitProcessors(const TokenHistory& history, int64_t position);

}  // namespace quire

#endif  // QUIRE_WORKER_SAMPLER_LOGIT_PROCESSORS_H_
