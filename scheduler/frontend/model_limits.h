#ifndef QUIRE_SCHEDULER_FRONTEND_MODEL_LIMITS_H_
#define QUIRE_SCHEDULER_FRONTEND_MODEL_LIMITS_H_

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "common/modelfile/model_config.h"
#include "scheduler/text/tokenizer.h"

namespace quire {

// The numbers of the model that requests are measured against.
struct ModelLimits {
  // Tokens; the configuration's, which may be more than the tokenizer's.
  uint32_t vocabulary_size = 0;
  uint32_t context_length = 0;  // Tokens: prompt and generated ones together.
  // Bytes of text that one token stands for, at most.
  uint32_t longest_token_bytes = 0;
  // Of the configuration and of the tokenizer; ascending.
  std::vector<Token> eos_token_ids;
};

// Bytes of a request that is taken off the wire at all. Twice the longest text
// that can fit, and what the other methods may bring: so whoever sends too much
// is told by how much, and nobody fills the memory with messages that can only
// be refused. At most kMaxMessageBytes.
int MaxRequestBytes(const ModelLimits& limits);

// Reads the whole vocabulary: once, at start.
ModelLimits LimitsOf(const ModelConfig& config, const Tokenizer& tokenizer);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_MODEL_LIMITS_H_
