#include "tests/testing/test_cluster.h"

#include <httplib.h>

#include <functional>
#include <limits>
#include <sstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "common/check.h"
#include "common/message_limits.h"
#include "grpcpp/grpcpp.h"

namespace quire {
namespace {

// Other processes are waited for by looking again; the limit only ends a test
// that has failed.
void WaitUntil(const std::function<bool()>& condition) {
  const absl::Time limit = absl::Now() + absl::Minutes(2);
  while (!condition()) {
    QUIRE_CHECK(absl::Now() < limit);
    absl::SleepFor(absl::Milliseconds(5));
  }
}

uint32_t NumOpen(const quire::v1::StatusResponse& status) {
  return status.running_requests() + status.waiting_requests();
}

ServerOptions ForTest(ServerOptions options) {
  options.listen = "127.0.0.1:0";
  options.worker_listen = "127.0.0.1:0";
  options.admin_listen = "127.0.0.1:0";
  options.engine.check_consistency_every_step = true;
  return options;
}

std::unique_ptr<Server> StartServer(const ServerOptions& options) {
  absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(options);
  if (!server.ok())
    std::fprintf(stderr, "%s\n", server.status().ToString().c_str());
  QUIRE_CHECK(server.ok());
  return *std::move(server);
}

}  // namespace

TestCluster::TestCluster(ServerOptions options,
                         std::vector<std::string> worker_flags)
    : model_(options.model),
      worker_flags_(std::move(worker_flags)),
      world_size_(options.world_size),
      server_(StartServer(ForTest(std::move(options)))),
      workers_(world_size_),
      stub_(NewClient()) {
  for (uint32_t rank = 0; rank < world_size_; ++rank) StartWorker(rank);
  WaitUntilReady();
}

std::unique_ptr<quire::v1::Quire::Stub> TestCluster::NewClient() const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  return quire::v1::Quire::NewStub(grpc::CreateCustomChannel(
      server_->api_address(), grpc::InsecureChannelCredentials(), arguments));
}

void TestCluster::StartWorker(uint32_t rank) {
  std::vector<std::string> flags = {
      "--model=" + model_, "--scheduler=" + server_->worker_address(),
      "--rank=" + std::to_string(rank),
      "--world_size=" + std::to_string(world_size_), "--kv_cache_memory=1GiB"};
  flags.insert(flags.end(), worker_flags_.begin(), worker_flags_.end());
  workers_[rank] = std::make_unique<ChildWorker>(flags);
}

void TestCluster::WaitUntilReady() {
  WaitUntil([&] { return server_->CheckReady().ok(); });
}

quire::v1::StatusResponse TestCluster::Status() {
  grpc::ClientContext context;
  quire::v1::StatusResponse response;
  QUIRE_CHECK(stub_->Status(&context, {}, &response).ok());
  return response;
}

void TestCluster::WaitUntilOpen(uint32_t num_requests) {
  WaitUntil([&] { return NumOpen(Status()) == num_requests; });
}

quire::v1::StatusResponse TestCluster::WaitUntilIdle() {
  quire::v1::StatusResponse status;
  WaitUntil([&] {
    status = Status();
    return NumOpen(status) == 0;
  });
  return status;
}

std::string TestCluster::Scrape() {
  httplib::Client client("http://" + server_->admin_address());
  const httplib::Result result = client.Get("/metrics");
  QUIRE_CHECK(result && result->status == 200);
  return result->body;
}

double TestCluster::Metric(const std::string& sample) {
  std::istringstream lines(Scrape());
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(sample + " ", 0) != 0) continue;
    double value = 0;
    QUIRE_CHECK(absl::SimpleAtod(line.substr(sample.size() + 1), &value));
    return value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace quire
