#ifndef QUIRE_SCHEDULER_CLUSTER_WORKER_CONNECTION_H_
#define QUIRE_SCHEDULER_CLUSTER_WORKER_CONNECTION_H_

#include <string>

#include "absl/status/status.h"
#include "quire/worker/v1/attach.pb.h"

namespace quire {

// The way out to one worker. Nothing blocks or fails: what cannot be delivered
// is dropped, and the group hears of it by WorkerGroup::OnClosed. Thread-safe.
class WorkerConnection {
 public:
  virtual ~WorkerConnection() = default;

  virtual void SendWelcome(const worker::v1::Welcome& welcome) = 0;
  // Takes the plan's contents and leaves an empty plan with memory to reuse.
  virtual void SendPlan(worker::v1::StepPlan& plan) = 0;
  // Ends the stream; the worker sees `status`. Nothing is sent after it. Only
  // the first call counts.
  virtual void End(const absl::Status& status) = 0;

  // The worker's address as gRPC names it.
  virtual const std::string& peer() const = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_CLUSTER_WORKER_CONNECTION_H_
