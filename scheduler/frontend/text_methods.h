#ifndef QUIRE_SCHEDULER_FRONTEND_TEXT_METHODS_H_
#define QUIRE_SCHEDULER_FRONTEND_TEXT_METHODS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "quire/v1/quire.pb.h"
#include "scheduler/frontend/model_limits.h"
#include "scheduler/frontend/prompt_encoder.h"

namespace quire {

// The methods Tokenize and Detokenize, each as a check that takes no time to
// speak of and an answer that takes time in proportion to its input. The checks
// answer INVALID_ARGUMENT with the field, its value and the limit.

inline constexpr size_t kMaxTokenizeBytes = 4 << 20;
// Makes less than the 64 MB of a message even of tokens of 128 bytes, the
// longest in use.
inline constexpr size_t kMaxDetokenizeIds = 1 << 18;

// UNIMPLEMENTED: a chat that no template renders.
absl::Status CheckTokenize(const v1::TokenizeRequest& request,
                           const PromptEncoder& encoder);
size_t NumTextBytes(const v1::TokenizeRequest& request);
// REQUIRES: CheckTokenize is OK. INVALID_ARGUMENT: roles that the template
// refuses, or text that the tokenizer does.
absl::StatusOr<v1::TokenizeResponse> Tokenize(
    const v1::TokenizeRequest& request, const PromptEncoder& encoder);

absl::Status CheckDetokenize(const v1::DetokenizeRequest& request,
                             const ModelLimits& limits);
// REQUIRES: CheckDetokenize is OK.
v1::DetokenizeResponse Detokenize(const v1::DetokenizeRequest& request,
                                  const Tokenizer& tokenizer);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_TEXT_METHODS_H_
