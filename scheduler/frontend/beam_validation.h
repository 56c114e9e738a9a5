#ifndef QUIRE_SCHEDULER_FRONTEND_BEAM_VALIDATION_H_
#define QUIRE_SCHEDULER_FRONTEND_BEAM_VALIDATION_H_

#include "absl/status/status.h"
#include "quire/v1/quire.pb.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/frontend/model_limits.h"

namespace quire {

// Makes `resolved`, complete but for the prompt, the beam search that `request`
// asks for. INVALID_ARGUMENT: a field beyond its limit, or one that a search
// has no use for. REQUIRES: request.has_beams().
absl::Status ResolveBeams(const v1::GenerateRequest& request,
                          const ModelLimits& limits,
                          GenerationRequest* resolved);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_BEAM_VALIDATION_H_
