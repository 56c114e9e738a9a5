#ifndef QUIRE_SCHEDULER_ENGINE_ENGINE_EVENT_H_
#define QUIRE_SCHEDULER_ENGINE_ENGINE_EVENT_H_

#include <functional>
#include <memory>
#include <variant>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/engine_snapshot.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/engine/group_link.h"

namespace quire {

// What other threads have to say to the engine thread: the calls of Engine, as
// values.

struct SubmitEvent {
  GenerationRequest request;
};

struct CancelEvent {
  RequestId id;
};

struct GroupReadyEvent {
  GroupShape shape;
  std::shared_ptr<GroupLink> link;
};

struct ResultEvent {
  Rank rank;
  worker::v1::StepResult result;
};

struct GroupLostEvent {
  Epoch epoch;
};

struct DrainEvent {
  absl::Time limit;
  std::function<void()> done;
};

struct DropPrefixesEvent {};

// The asking thread waits for `taken` and owns both.
struct SnapshotEvent {
  bool with_blocks = false;
  EngineSnapshot* snapshot = nullptr;
  absl::Notification* taken = nullptr;
};

// The last one: the engine is being destroyed.
struct StopEvent {};

using EngineEvent = std::variant<SubmitEvent, CancelEvent, GroupReadyEvent,
                                 ResultEvent, GroupLostEvent, DrainEvent,
                                 DropPrefixesEvent, SnapshotEvent, StopEvent>;

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_ENGINE_EVENT_H_
