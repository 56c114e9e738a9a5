#ifndef QUIRE_SCHEDULER_FRONTEND_PROMPT_VALIDATION_H_
#define QUIRE_SCHEDULER_FRONTEND_PROMPT_VALIDATION_H_

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "quire/v1/quire.pb.h"
#include "scheduler/frontend/model_limits.h"

namespace quire {

// What can be said of a prompt before it is tokenized, in time that does not
// depend on its text. INVALID_ARGUMENT: no prompt, too many or impossible token
// ids, no messages, or a text that cannot fit the context however it is
// tokenized.
absl::Status CheckPrompt(const v1::GenerateRequest& request,
                         const ModelLimits& limits);

// INVALID_ARGUMENT: no messages, or too many.
absl::Status CheckChat(const v1::Chat& chat);

// Of a tokenized prompt: at least one token, and room for one more in the
// context.
absl::Status CheckPromptLength(size_t num_tokens, const ModelLimits& limits);

// Bytes that the client sent in contents and roles.
size_t ChatBytes(const v1::Chat& chat);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_PROMPT_VALIDATION_H_
