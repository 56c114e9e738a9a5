#include "scheduler/server.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/status_macros.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/health_check_service_interface.h"
#include "grpcpp/resource_quota.h"
#include "scheduler/frontend/api_service.h"
#include "scheduler/frontend/model_limits.h"
#include "scheduler/grpc_listener.h"
#include "scheduler/grpc_log.h"
#include "scheduler/memory/capacity.h"
#include "scheduler/metrics/process_collector.h"

namespace quire {
namespace {

constexpr char kApiServiceName[] = "quire.v1.Quire";

// The engine thread turns several times a second, whatever the workers do.
constexpr absl::Duration kMaxHeartbeatAge = absl::Seconds(10);
constexpr absl::Duration kStuckCheckInterval = absl::Milliseconds(500);
// For streams to take their last message, after which they are cut.
constexpr std::chrono::seconds kGoodbye{1};

// What the API port may hold in buffers of messages that come and go.
constexpr size_t kApiMemoryBytes = size_t{1} << 30;
constexpr int kMaxApiThreads = 16;
// Calls beyond the requests that the engine takes: those that are to hear that
// the queue is full, and those whose client has not read all of its answer.
constexpr uint32_t kSpareCalls = 256;

uint32_t MaxOpenCalls(const EngineOptions& options) {
  return options.max_waiting_requests + options.max_running_sequences +
         kSpareCalls;
}

// Tells the engine first: whoever sees the server ready can submit.
class EngineObserver final : public GroupObserver {
 public:
  EngineObserver(Engine* engine, Readiness* readiness)
      : engine_(engine), readiness_(readiness) {}

  void OnGroupReady(GroupShape shape,
                    std::shared_ptr<GroupLink> link) override {
    engine_->OnGroupReady(shape, std::move(link));
    readiness_->SetGroupReady(true);
  }
  void OnResult(Rank rank, worker::v1::StepResult result) override {
    engine_->OnResult(rank, std::move(result));
  }
  void TakeTurns() override { engine_->TakeTurns(); }
  void OnGroupLost(Epoch epoch, absl::Status /*reason*/) override {
    readiness_->SetGroupReady(false);
    engine_->OnGroupLost(epoch);
  }

 private:
  Engine* const engine_;
  Readiness* const readiness_;
};

// No more blocks than all running sequences could ever fill.
uint32_t MaxNumBlocks(const ServerOptions& options, int64_t context_length) {
  const uint64_t blocks_per_sequence =
      BlocksForSlots(static_cast<uint64_t>(context_length), options.block_size);
  uint64_t limit = std::min<uint64_t>(
      blocks_per_sequence * options.engine.max_running_sequences, INT32_MAX);
  if (options.num_blocks != 0) {
    limit = std::min<uint64_t>(limit, options.num_blocks);
  }
  return static_cast<uint32_t>(limit);
}

WorkerGroupOptions MakeGroupOptions(const ServerOptions& options,
                                    const ModelFiles& files) {
  WorkerGroupOptions group;
  group.terms.model_fingerprint = files.fingerprint();
  group.terms.world_size = options.world_size;
  group.terms.block_size = options.block_size;
  group.terms.max_num_blocks =
      MaxNumBlocks(options, files.config().context_length);
  group.terms.max_step_rows = options.engine.max_step_tokens;
  group.vocabulary_size = files.config().vocabulary_size;
  group.step_timeout = options.step_timeout;
  return group;
}

}  // namespace

Server::Server(const ServerOptions& options)
    : options_(options),
      chat_template_(absl::UnknownError("no model is loaded")),
      readiness_([this](bool ready) { PublishHealth(ready); }) {}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    const ServerOptions& options) {
  QUIRE_RETURN_IF_ERROR(options.Validate());
  auto server = absl::WrapUnique(new Server(options));
  QUIRE_RETURN_IF_ERROR(server->LoadModel());
  server->MakeEngineAndGroup();
  // Before there is a port that leads to it.
  server->engine_->Start();
  QUIRE_RETURN_IF_ERROR(server->OpenPorts());
  server->stuck_watch_ = std::thread(&Server::WatchForStuckSteps, server.get());
  LogInfo(absl::StrCat("serving ", server->files_->name(), ": API on ",
                       server->api_address(), ", workers on ",
                       server->worker_address(), ", admin on ",
                       server->admin_address()));
  return server;
}

absl::Status Server::LoadModel() {
  QUIRE_ASSIGN_OR_RETURN(files_, ModelFiles::Open(options_.model));
  QUIRE_ASSIGN_OR_RETURN(tokenizer_, Tokenizer::Load(*files_));
  chat_template_ = ChatTemplate::Recognise(*tokenizer_);
  if (!chat_template_.ok()) {
    LogWarning(absl::StrCat("chat will be refused: ",
                            chat_template_.status().message()));
  }
  return absl::OkStatus();
}

void Server::MakeEngineAndGroup() {
  AddProcessMetrics(&metrics_);
  AddBuildInfo(&metrics_, {{"architecture", files_->config().architecture},
                           {"fingerprint", files_->fingerprint()},
                           {"model", files_->name()}});
  engine_ = std::make_unique<Engine>(options_.engine, &clock_, &metrics_);
  observer_ = std::make_unique<EngineObserver>(engine_.get(), &readiness_);
  group_ = std::make_unique<WorkerGroup>(MakeGroupOptions(options_, *files_),
                                         &clock_, &metrics_, observer_.get());
}

// Workers come last: by then there is somebody to tell.
absl::Status Server::OpenPorts() {
  QUIRE_RETURN_IF_ERROR(OpenApiPort());
  AdminSources sources;
  sources.metrics = [this] { return metrics_.Serialize(); };
  sources.alive = [this] { return CheckAlive(); };
  sources.ready = [this] { return CheckReady(); };
  sources.drop_prefixes = [this] { engine_->DropPrefixes(); };
  QUIRE_ASSIGN_OR_RETURN(
      admin_, AdminServer::Listen(options_.admin_listen, std::move(sources)));
  QUIRE_ASSIGN_OR_RETURN(
      worker_port_, WorkerPort::Listen(options_.worker_listen, group_.get()));
  return absl::OkStatus();
}

absl::Status Server::OpenApiPort() {
  const ModelLimits limits = LimitsOf(files_->config(), *tokenizer_);
  ApiBackends backends;
  backends.limits = limits;
  backends.files = files_.get();
  backends.tokenizer = tokenizer_.get();
  backends.chat_template =
      chat_template_.ok() ? chat_template_->get() : nullptr;
  backends.chat_refusal = chat_template_.status();
  backends.engine = engine_.get();
  backends.workers = group_.get();
  backends.check_ready = [this] { return CheckReady(); };
  backends.clock = &clock_;
  backends.max_open_calls = MaxOpenCalls(options_.engine);
  api_service_ = MakeApiService(backends);

  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  builder.RegisterService(api_service_.get());
  grpc::ResourceQuota quota("quire-api");
  quota.Resize(kApiMemoryBytes).SetMaxThreads(kMaxApiThreads);
  builder.SetResourceQuota(quota);
  builder.AddChannelArgument(
      GRPC_ARG_MAX_CONCURRENT_STREAMS,
      static_cast<int>(MaxOpenCalls(options_.engine) + kSpareCalls));
  QUIRE_ASSIGN_OR_RETURN(
      GrpcListener listener,
      BuildAndListen(builder, options_.listen, MaxRequestBytes(limits)));
  api_server_ = std::move(listener.server);
  api_address_ = std::move(listener.address);
  PublishHealth(false);
  return absl::OkStatus();
}

Server::~Server() {
  readiness_.SetDraining();
  ending_.Notify();
  if (stuck_watch_.joinable()) stuck_watch_.join();
  admin_.reset();
  if (api_server_ != nullptr) {
    // Requests still open hear UNAVAILABLE.
    engine_->Drain(clock_.Now(), [] {});
    api_server_->Shutdown(std::chrono::system_clock::now() + kGoodbye);
  }
  worker_port_.reset();
  api_server_.reset();
  api_service_.reset();
  engine_.reset();  // It holds links to the group.
}

void Server::Drain() {
  if (drain_started_.exchange(true)) return;
  LogInfo(absl::StrCat("draining for at most ",
                       absl::FormatDuration(options_.drain_limit)));
  readiness_.SetDraining();
  engine_->Drain(clock_.Now() + options_.drain_limit,
                 [this] { drained_.Notify(); });
}

bool Server::WaitUntilDrained(absl::Duration limit) {
  return drained_.WaitForNotificationWithTimeout(limit);
}

void Server::PublishHealth(bool ready) {
  auto* health = api_server_->GetHealthCheckService();
  health->SetServingStatus("", ready);
  health->SetServingStatus(kApiServiceName, ready);
}

absl::Status Server::CheckReady() const {
  if (readiness_.ready()) return absl::OkStatus();
  if (readiness_.draining()) return absl::UnavailableError("draining");
  if (readiness_.stuck()) {
    return absl::UnavailableError(
        absl::StrCat("no step has come to an end for ",
                     absl::FormatDuration(options_.step_timeout / 2)));
  }
  const std::string reason = group_->NotReadyReason();
  // Empty: it has become ready since.
  return reason.empty() ? absl::OkStatus() : absl::UnavailableError(reason);
}

absl::Status Server::CheckAlive() const {
  QUIRE_RETURN_IF_ERROR(CheckGrpcListeners());
  const absl::Duration age = clock_.Now() - engine_->last_heartbeat();
  if (age < kMaxHeartbeatAge) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the engine's last sign of life is ",
                                          absl::FormatDuration(age), " old"));
}

void Server::WatchForStuckSteps() {
  while (!ending_.WaitForNotificationWithTimeout(kStuckCheckInterval)) {
    readiness_.SetStuck(engine_->IsStuck(options_.step_timeout / 2));
  }
}

}  // namespace quire
