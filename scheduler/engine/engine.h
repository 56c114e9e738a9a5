#ifndef QUIRE_SCHEDULER_ENGINE_ENGINE_H_
#define QUIRE_SCHEDULER_ENGINE_ENGINE_H_

#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "common/clock.h"
#include "common/ids.h"
#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/engine_options.h"
#include "scheduler/engine/engine_snapshot.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/engine/group_link.h"
#include "scheduler/metrics/metric_registry.h"

namespace quire {

// The scheduler's heart, which owns all state of requests, sequences and
// blocks, and takes turns through
//
//   drain inbox (new, cancel, deadline) -> commit the oldest result -> plan ->
//   dispatch -> publish
//
// One thread at a time has the turn and is the engine thread: mostly one of the
// engine's own, and the one that brings a result for as long as TakeTurns
// lasts. Other threads meet it only at its inbox and at mailboxes.
class Engine {
 public:
  // `clock` and `metrics` must outlive the engine. REQUIRES: options are valid.
  Engine(const EngineOptions& options, const Clock* clock,
         MetricRegistry* metrics);
  ~Engine();  // Stops the thread; requests still open close with UNAVAILABLE.

  // Starts the engine thread. Tests call RunOnce instead.
  void Start();
  // One turn of the loop without waiting. Returns whether anything was done.
  bool RunOnce();

  // All that follows: any thread, returns at once.

  // The answer comes in the request's mailbox: deltas and OK; or
  // RESOURCE_EXHAUSTED (queue full), INVALID_ARGUMENT (can never fit the KV
  // cache, with the numbers), UNAVAILABLE (draining, or no worker has attached
  // yet), DEADLINE_EXCEEDED, CANCELLED.
  void Submit(GenerationRequest request);
  // Ends a request that may have ended already; its blocks are free within one
  // step.
  void Cancel(RequestId id);

  // A group stands ready under a new epoch.
  void OnGroupReady(GroupShape shape, std::shared_ptr<GroupLink> link);
  // One for every plan and rank, in the order of plans for each rank. Of
  // another epoch: ignored. TakeTurns must follow.
  void OnResult(Rank rank, worker::v1::StepResult result);
  // Does what results make possible, on the calling thread, so that no other
  // has to be woken for it; where another has the turn, that does it. Does not
  // return at once. REQUIRES: no lock is held that GroupLink::Dispatch takes.
  void TakeTurns();
  // The epoch is over. Requests go back to the queue with their tokens and
  // continue when a group is ready again.
  void OnGroupLost(Epoch epoch);

  // Refuses new requests with UNAVAILABLE, lets open ones finish until `limit`,
  // then closes them with UNAVAILABLE. `done` is called once when none is left.
  void Drain(absl::Time limit, std::function<void()> done);

  // Forgets all cached prefixes; requests that use them are unharmed.
  void DropPrefixes();

  // Waits for the engine thread to answer between two turns, whatever the
  // workers do: microseconds, and some nanoseconds for each block where they
  // are asked for. An engine that was not started answers by itself.
  // REQUIRES: the engine is not being destroyed.
  EngineSnapshot Snapshot(bool with_blocks);
  // When the loop last turned, or waited knowingly: the sign of life.
  absl::Time last_heartbeat() const;
  // Whether work is pending and no result has come for `limit`.
  bool IsStuck(absl::Duration limit) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_ENGINE_H_
