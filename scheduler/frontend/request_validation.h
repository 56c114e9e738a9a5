#ifndef QUIRE_SCHEDULER_FRONTEND_REQUEST_VALIDATION_H_
#define QUIRE_SCHEDULER_FRONTEND_REQUEST_VALIDATION_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "quire/v1/quire.pb.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/frontend/model_limits.h"

namespace quire {

// A client's request becomes the engine's in two steps, because tokenizing
// comes between them and may take long. Both are pure, and both answer
// INVALID_ARGUMENT with the field, its value and the limit.

// Checks all that can be checked without a tokenizer and resolves what does not
// depend on the prompt's length: sampling, stop tokens, what is reported.
// `random_seed` stands in where the client gives no seed.
absl::StatusOr<GenerationRequest> ResolveRequest(
    const v1::GenerateRequest& request, const ModelLimits& limits,
    uint64_t random_seed);

// Puts the prompt in and resolves what depends on its length: max_tokens and
// min_tokens. REQUIRES: `resolved` comes from ResolveRequest(request, limits).
absl::Status AddPrompt(const v1::GenerateRequest& request,
                       const ModelLimits& limits, std::vector<Token> prompt,
                       GenerationRequest* resolved);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_REQUEST_VALIDATION_H_
