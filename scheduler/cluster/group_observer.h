#ifndef QUIRE_SCHEDULER_CLUSTER_GROUP_OBSERVER_H_
#define QUIRE_SCHEDULER_CLUSTER_GROUP_OBSERVER_H_

#include <memory>

#include "absl/status/status.h"
#include "common/ids.h"
#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/group_link.h"

namespace quire {

// Who works with a group: the engine. Calls come one at a time and in order:
// ready, results of that epoch, lost, ready under the next epoch, ... All but
// TakeTurns hold the group's lock, so each returns at once and calls neither
// the group nor its link.
class GroupObserver {
 public:
  virtual ~GroupObserver() = default;
  virtual void OnGroupReady(GroupShape shape,
                            std::shared_ptr<GroupLink> link) = 0;
  virtual void OnResult(Rank rank, worker::v1::StepResult result) = 0;
  // Follows OnResult, without the lock and on the thread that read the result:
  // it may plan, and dispatch to the group.
  virtual void TakeTurns() = 0;
  virtual void OnGroupLost(Epoch epoch, absl::Status reason) = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_CLUSTER_GROUP_OBSERVER_H_
