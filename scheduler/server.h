#ifndef QUIRE_SCHEDULER_SERVER_H_
#define QUIRE_SCHEDULER_SERVER_H_

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/modelfile/model_files.h"
#include "grpcpp/server.h"
#include "quire/v1/quire.grpc.pb.h"
#include "scheduler/admin/admin_server.h"
#include "scheduler/cluster/group_observer.h"
#include "scheduler/cluster/worker_group.h"
#include "scheduler/cluster/worker_port.h"
#include "scheduler/engine/engine.h"
#include "scheduler/metrics/metric_registry.h"
#include "scheduler/readiness.h"
#include "scheduler/server_options.h"
#include "scheduler/text/chat_template.h"
#include "scheduler/text/tokenizer.h"

namespace quire {

// The scheduler process put together: model, engine, group and three ports.
//
//   starting --Start--> serving --Drain--> draining --all requests ended-->
//   drained; the destructor ends it from any state, at once
//
// grpc.health.v1 on the API port ("" and "quire.v1.Quire", Check and Watch)
// says SERVING while a group is ready, steps come to an end and nobody drains.
// Thread-safe.
class Server {
 public:
  // Returns when all ports are open; workers may come later. INVALID_ARGUMENT:
  // an option; UNAVAILABLE: a port; else what the model's files cause. The
  // message is a whole sentence for the operator.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServerOptions& options);
  ~Server();

  // With the ports that were chosen.
  const std::string& api_address() const { return api_address_; }
  const std::string& worker_address() const { return worker_port_->address(); }
  const std::string& admin_address() const { return admin_->address(); }

  // Refuses new requests and lets open ones finish within drain_limit. Only
  // the first call counts.
  void Drain();
  // Whether a drain has come to its end within `limit` from now.
  bool WaitUntilDrained(absl::Duration limit);

  // OK, or UNAVAILABLE with the reason: what /readyz and the Status call say.
  absl::Status CheckReady() const;

 private:
  explicit Server(const ServerOptions& options);

  absl::Status LoadModel();
  void MakeEngineAndGroup();
  absl::Status OpenPorts();
  absl::Status OpenApiPort();
  void PublishHealth(bool ready);
  absl::Status CheckAlive() const;
  void WatchForStuckSteps();

  const ServerOptions options_;
  SystemClock clock_;
  MetricRegistry metrics_;
  std::unique_ptr<ModelFiles> files_;
  std::unique_ptr<Tokenizer> tokenizer_;
  // Not OK: the model has no template that is known, and chat is refused.
  absl::StatusOr<std::unique_ptr<ChatTemplate>> chat_template_;
  Readiness readiness_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<GroupObserver> observer_;
  std::unique_ptr<WorkerGroup> group_;
  std::unique_ptr<quire::v1::Quire::CallbackService> api_service_;
  std::unique_ptr<grpc::Server> api_server_;
  std::string api_address_;
  std::unique_ptr<WorkerPort> worker_port_;
  std::unique_ptr<AdminServer> admin_;
  std::atomic<bool> drain_started_ = false;
  absl::Notification drained_;
  absl::Notification ending_;
  std::thread stuck_watch_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SERVER_H_
