#include "scheduler/cluster/worker_port.h"

#include <chrono>
#include <utility>
#include <vector>

#include "absl/memory/memory.h"
#include "absl/time/time.h"
#include "common/status_macros.h"
#include "grpcpp/impl/server_builder_option.h"
#include "grpcpp/server_builder.h"
#include "scheduler/grpc_listener.h"

namespace quire {
namespace {

constexpr absl::Duration kTimeoutCheckInterval = absl::Milliseconds(250);
// For workers to take their status, after which connections are cut.
constexpr std::chrono::milliseconds kGoodbye{1000};

// Takes out what the process adds to every server, such as reflection: its
// threads would share the polling of the workers' connections.
class NoPlugins final : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>*
                         plugins) override {
    plugins->clear();
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerPort>> WorkerPort::Listen(
    const std::string& address, WorkerGroup* group) {
  auto port = absl::WrapUnique(new WorkerPort(group));
  grpc::ServerBuilder builder;
  builder.SetOption(std::make_unique<NoPlugins>());
  builder.RegisterService(&port->service_);
  port->queue_ = builder.AddCompletionQueue();
  QUIRE_ASSIGN_OR_RETURN(GrpcListener listener,
                         BuildAndListen(builder, address));
  port->server_ = std::move(listener.server);
  port->address_ = std::move(listener.address);
  port->AcceptOne();
  port->streams_thread_ = std::thread(&WorkerPort::ServeStreams, port.get());
  port->timeouts_thread_ = std::thread(&WorkerPort::WatchTimeouts, port.get());
  return port;
}

WorkerPort::~WorkerPort() {
  if (server_ == nullptr) {
    // Never listened. The builder's queue wants to be shut down all the same.
    if (queue_ != nullptr) queue_->Shutdown();
    return;
  }
  stopping_.Notify();
  timeouts_thread_.join();
  group_->Close("the scheduler is going down");
  server_->Shutdown(std::chrono::system_clock::now() + kGoodbye);
  // No operation may start on a queue that is shut down: none can when no call
  // is left.
  all_over_.WaitForNotification();
  queue_->Shutdown();
  streams_thread_.join();
}

void WorkerPort::AcceptOne() {
  auto call = std::make_shared<AttachCall>(&service_, queue_.get(), group_);
  AttachCall* key = call.get();
  calls_[key] = std::move(call);
}

void WorkerPort::ServeStreams() {
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) {
    const auto* const event = static_cast<AttachCall::Tag*>(tag);
    const auto call = calls_.find(event->call);
    const bool accepted =
        ok && event->operation == AttachCall::Operation::kAccept;
    if (call->second->Proceed(event->operation, ok, call->second)) {
      calls_.erase(call);
    }
    if (accepted) AcceptOne();
    // There is always one that accepts, until the server is down.
    if (calls_.empty()) all_over_.Notify();
  }
}

void WorkerPort::WatchTimeouts() {
  while (!stopping_.WaitForNotificationWithTimeout(kTimeoutCheckInterval)) {
    group_->CheckTimeouts();
  }
}

}  // namespace quire
