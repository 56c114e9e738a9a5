#ifndef QUIRE_SCHEDULER_ENGINE_ENGINE_LOOP_H_
#define QUIRE_SCHEDULER_ENGINE_ENGINE_LOOP_H_

#include <functional>
#include <vector>

#include "absl/time/time.h"
#include "common/clock.h"
#include "quire/worker/v1/plan.pb.h"
#include "scheduler/engine/engine_event.h"
#include "scheduler/engine/engine_metrics.h"
#include "scheduler/engine/engine_options.h"
#include "scheduler/engine/engine_snapshot.h"
#include "scheduler/engine/inbox.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/scheduler.h"

namespace quire {

// What the engine thread does: one turn after the other. Engine thread only,
// which is whoever has the turn.
class EngineLoop {
 public:
  // All pointers must outlive the loop. REQUIRES: options are valid.
  EngineLoop(const EngineOptions& options, const Clock* clock,
             MetricRegistry* metrics, Inbox<EngineEvent>* inbox);

  // One turn, which never waits. Returns whether anything was done; if not,
  // nothing will be before the next event or wake_time().
  bool Turn();
  // Whether a turn has seen a StopEvent: every request is closed, with
  // UNAVAILABLE, and no turn need follow.
  bool stopped() const { return stopped_; }

  EngineSnapshot Snapshot(bool with_blocks) const;
  // When a deadline or the limit of a drain passes; InfiniteFuture: never.
  absl::Time wake_time() const;
  // Since when a result has been due: the last one, or the moment when there
  // was work for a group. InfiniteFuture: there is none.
  absl::Time waiting_since() const { return waiting_since_; }

 private:
  // The lines of a turn. Each returns whether it did anything.
  bool DrainInbox();
  bool CommitOldest();
  worker::v1::StepPlan* Plan();
  void Dispatch(worker::v1::StepPlan& plan);
  bool Publish();

  // By event.
  void On(SubmitEvent& event);
  void On(CancelEvent& event);
  void On(GroupReadyEvent& event);
  void On(ResultEvent& event);
  void On(GroupLostEvent& event);
  void On(DrainEvent& event);
  void On(DropPrefixesEvent& event);
  void On(SnapshotEvent& event);
  void On(StopEvent& event);

  void EndEpoch();
  void StartDrain(absl::Time limit);
  void CloseWhatIsDue();
  void ObserveStep(const InFlightStep& step);
  // After a turn that did something.
  void Inspect();
  // Sets the gauges, which takes a look at every sequence: when there is
  // nothing else to do, and otherwise as often as Inspect checks consistency.
  void ShowState();

  const EngineOptions options_;
  const Clock* const clock_;
  Inbox<EngineEvent>* const inbox_;
  const EngineMetrics metrics_;
  Outbox outbox_;
  Scheduler scheduler_;

  std::vector<EngineEvent> events_;  // Of this turn; kept for its memory.
  bool draining_ = false;
  absl::Time drain_limit_ = absl::InfiniteFuture();
  std::vector<std::function<void()>> on_drained_;  // Not yet called.
  bool stopped_ = false;
  absl::Time waiting_since_ = absl::InfiniteFuture();
  absl::Time last_shown_ = absl::InfinitePast();
  absl::Time last_check_ = absl::InfinitePast();  // Of consistency.
  bool shown_ = false;                            // The state, by gauges.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_ENGINE_LOOP_H_
