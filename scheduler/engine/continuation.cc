#include "scheduler/engine/continuation.h"

#include "scheduler/engine/beams.h"
#include "scheduler/engine/samples.h"

namespace quire {

std::unique_ptr<Continuation> MakeContinuation(GenerationRequest& request) {
  if (request.beams.has_value()) return std::make_unique<Beams>(request);
  return std::make_unique<Samples>(request);
}

}  // namespace quire
