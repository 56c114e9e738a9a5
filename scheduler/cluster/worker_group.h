#ifndef QUIRE_SCHEDULER_CLUSTER_WORKER_GROUP_H_
#define QUIRE_SCHEDULER_CLUSTER_WORKER_GROUP_H_

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/ids.h"
#include "common/log.h"
#include "quire/worker/v1/attach.pb.h"
#include "scheduler/cluster/group_observer.h"
#include "scheduler/cluster/handshake.h"
#include "scheduler/cluster/worker_connection.h"
#include "scheduler/cluster/worker_directory.h"
#include "scheduler/cluster/worker_metrics.h"
#include "scheduler/engine/group_link.h"
#include "scheduler/metrics/metric_registry.h"

namespace quire {

struct WorkerGroupOptions {
  HandshakeTerms terms;
  // Tokens of the model. A rank that names another one talks nonsense.
  int64_t vocabulary_size = std::numeric_limits<Token>::max();
  // For a worker that connected to say its first word.
  absl::Duration hello_timeout = absl::Seconds(10);
  // From Welcome to Ready: a rank maps and clears its KV cache meanwhile.
  absl::Duration ready_timeout = absl::Minutes(5);
  // For a rank to answer while it has a plan. Reason to raise: steps of very
  // long prompts on slow machines.
  absl::Duration step_timeout = absl::Seconds(60);
};

// The ranks that together hold one copy of the model. States:
//
//   gathering --all ranks said Hello; Welcome goes out--> preparing
//   preparing --all ranks said Ready; the observer hears of it--> ready
//   preparing, ready --a rank leaves, hangs or talks nonsense; Abandon-->
//       gathering, under the next epoch: every rank's stream ends UNAVAILABLE
//       with the reason, and they dial again
//   any --Close--> closed
//
// A rank that leaves while others are awaited disturbs nobody. So do strangers:
// connections that have not said Hello, or are refused. Of too many strangers
// the one that has been silent longest goes, so that a worker, which says Hello
// at once, can attach. Thread-safe; one lock, under which connections and the
// observer, but for its turns, are called.
class WorkerGroup final : public WorkerDirectory {
 public:
  // All must outlive the group, and the group its observer's use of the links.
  WorkerGroup(WorkerGroupOptions options, const Clock* clock,
              MetricRegistry* metrics, GroupObserver* observer);

  // A worker connected and has said nothing yet.
  void OnAttach(std::shared_ptr<WorkerConnection> connection);
  // It said something. Takes the contents of a result, and returns when what
  // follows from it is done.
  void OnMessage(const WorkerConnection& connection,
                 worker::v1::WorkerMessage& message);
  // Its stream is over; `reason` says how. May follow an End of our own.
  void OnClosed(const WorkerConnection& connection, const std::string& reason);

  // Ends whatever took longer than its limit. Called a few times a second.
  void CheckTimeouts();
  // Ends every stream, now and from now on, with UNAVAILABLE: `reason`.
  void Close(const std::string& reason);

  std::vector<WorkerInfo> Workers() const override;
  // Why the group is not ready: who is awaited, and how the last epoch ended.
  // Empty: it is ready.
  std::string NotReadyReason() const;

 private:
  class Link;
  class Lock;
  enum class State { kGathering, kPreparing, kReady, kClosed };

  struct Member {
    worker::v1::Hello hello;
    std::shared_ptr<WorkerConnection> connection;
    bool ready = false;
    uint64_t last_answered = 0;  // Step.
    absl::Time waiting_since;    // For Ready, or for the oldest open answer.
  };
  struct Stranger {
    std::shared_ptr<WorkerConnection> connection;
    absl::Time since;
  };
  struct LogLine {
    LogLevel level;
    std::string text;
  };

  // What OnMessage does under the lock.
  void Handle(const WorkerConnection& connection,
              worker::v1::WorkerMessage& message);

  // Through links.
  void Dispatch(Epoch epoch, worker::v1::StepPlan& plan);
  void Abandon(Epoch epoch, const std::string& reason);

  // Empty where there is none.
  std::shared_ptr<WorkerConnection> TakeStranger(
      const WorkerConnection& connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndOldestStranger(const absl::Status& status)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Member* FindMember(const WorkerConnection& connection)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<worker::v1::Hello> Hellos() const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void HandleHello(std::shared_ptr<WorkerConnection> connection,
                   const worker::v1::WorkerMessage& message)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void HandleReady(Member& member, const worker::v1::Ready& ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void HandleResult(Member& member, worker::v1::StepResult& result)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What is wrong with a result that names the step that is due; empty:
  // nothing.
  std::string FindFault(const worker::v1::StepResult& result) const;
  void Admit(std::shared_ptr<WorkerConnection> connection,
             const worker::v1::Hello& hello)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void StartPreparing() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void BecomeReady() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The member is at fault or gone. Where an epoch has begun it ends.
  void Lose(Member& member, const std::string& reason)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndEpoch(const std::string& reason)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The first member that took too long, and in `reason` for what.
  Member* FindLate(absl::Time now, std::string& reason)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const WorkerGroupOptions options_;
  const Clock* const clock_;
  GroupObserver* const observer_;
  WorkerMetrics metrics_;

  mutable absl::Mutex mutex_;
  State state_ ABSL_GUARDED_BY(mutex_) = State::kGathering;
  Epoch epoch_ ABSL_GUARDED_BY(mutex_);  // The latest that began; 0 = none.
  GroupShape shape_ ABSL_GUARDED_BY(mutex_);        // Of preparing and ready.
  uint64_t last_step_ ABSL_GUARDED_BY(mutex_) = 0;  // Dispatched in the epoch.
  std::string end_reason_ ABSL_GUARDED_BY(mutex_);  // Of the last epoch.
  std::map<Rank, Member> members_ ABSL_GUARDED_BY(mutex_);
  std::deque<Stranger> strangers_ ABSL_GUARDED_BY(mutex_);  // Oldest first.
  std::map<Rank, WorkerInfo> directory_ ABSL_GUARDED_BY(mutex_);
  worker::v1::StepPlan copy_ ABSL_GUARDED_BY(mutex_);  // For all but one rank.
  std::vector<LogLine> log_ ABSL_GUARDED_BY(mutex_);   // To write after it.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_CLUSTER_WORKER_GROUP_H_
