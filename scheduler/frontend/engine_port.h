#ifndef QUIRE_SCHEDULER_FRONTEND_ENGINE_PORT_H_
#define QUIRE_SCHEDULER_FRONTEND_ENGINE_PORT_H_

#include "common/ids.h"
#include "scheduler/engine/engine_snapshot.h"
#include "scheduler/engine/generation_request.h"

namespace quire {

// All that the front end asks of the engine, with the words and promises of
// Engine. Thread-safe; no call blocks for long.
class EnginePort {
 public:
  virtual ~EnginePort() = default;
  virtual void Submit(GenerationRequest request) = 0;
  virtual void Cancel(RequestId id) = 0;
  virtual EngineSnapshot Snapshot(bool with_blocks) = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_ENGINE_PORT_H_
