#ifndef QUIRE_SCHEDULER_ENGINE_CONSISTENCY_H_
#define QUIRE_SCHEDULER_ENGINE_CONSISTENCY_H_

#include "absl/status/status.h"
#include "scheduler/engine/scheduler.h"

namespace quire {

// Holds the scheduler's state against all that must be true of it between two
// turns: every block in one state and counted by the tables that name it, every
// request in one place, every slot written or in flight. INTERNAL names the
// first violation. O(blocks + tokens in flight + requests).
absl::Status CheckConsistency(const Scheduler& scheduler);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_CONSISTENCY_H_
