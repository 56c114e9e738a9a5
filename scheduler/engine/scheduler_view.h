#ifndef QUIRE_SCHEDULER_ENGINE_SCHEDULER_VIEW_H_
#define QUIRE_SCHEDULER_ENGINE_SCHEDULER_VIEW_H_

#include "absl/time/time.h"
#include "scheduler/engine/engine_metrics.h"
#include "scheduler/engine/engine_snapshot.h"
#include "scheduler/engine/scheduler.h"

namespace quire {

// The blocks of the group now; all zero between epochs. O(running).
BlockCounts CountBlocks(const Scheduler& scheduler);

// All of a snapshot that is the scheduler's to say: everything but readiness.
// `with_blocks`: block_states too.
EngineSnapshot TakeSnapshot(const Scheduler& scheduler,
                            const EngineMetrics& metrics, absl::Time now,
                            bool with_blocks);

// Moves the gauges to what is now.
void UpdateGauges(const Scheduler& scheduler, const EngineMetrics& metrics);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_SCHEDULER_VIEW_H_
