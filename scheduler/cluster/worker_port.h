#ifndef QUIRE_SCHEDULER_CLUSTER_WORKER_PORT_H_
#define QUIRE_SCHEDULER_CLUSTER_WORKER_PORT_H_

#include <memory>
#include <string>
#include <thread>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/notification.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/server.h"
#include "quire/worker/v1/attach.grpc.pb.h"
#include "scheduler/cluster/attach_call.h"
#include "scheduler/cluster/worker_group.h"

namespace quire {

// The port that workers dial: serves WorkerService for one group. Owns two
// threads, one for the streams and one that lets the group look at its clock.
class WorkerPort {
 public:
  // `address`: "host:port" or "unix:path"; port 0 lets the system choose.
  // `group` must outlive the port. INVALID_ARGUMENT, UNAVAILABLE: see
  // BuildAndListen.
  static absl::StatusOr<std::unique_ptr<WorkerPort>> Listen(
      const std::string& address, WorkerGroup* group);
  // Closes the group, ends every stream and waits for them, at most a second.
  ~WorkerPort();

  // What a worker dials; the chosen port in place of 0.
  const std::string& address() const { return address_; }

 private:
  explicit WorkerPort(WorkerGroup* group) : group_(group) {}

  void AcceptOne();
  void ServeStreams();
  void WatchTimeouts();

  WorkerGroup* const group_;
  worker::v1::WorkerService::AsyncService service_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
  // Calls that are not over. Of the streams' thread, once it runs.
  absl::flat_hash_map<AttachCall*, std::shared_ptr<AttachCall>> calls_;
  absl::Notification stopping_;
  absl::Notification all_over_;  // No call is left.
  std::thread streams_thread_;
  std::thread timeouts_thread_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_CLUSTER_WORKER_PORT_H_
