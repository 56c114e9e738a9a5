#include "scheduler/server.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "common/modelfile/model_files.h"
#include "gmock/gmock.h"
#include "grpcpp/create_channel.h"
#include "gtest/gtest.h"
#include "health.grpc.pb.h"
#include "httplib.h"
#include "quire/v1/quire.grpc.pb.h"
#include "tests/scheduler/cluster/puppet_worker.h"

namespace quire {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using ::quire::testing::PuppetWorker;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kModel[] = "tests/testdata/tiny/llama3rope_f32";
// Reached only by a failing test.
constexpr absl::Duration kLimit = absl::Seconds(30);

ServerOptions Options() {
  ServerOptions options;
  options.model = kModel;
  options.listen = "127.0.0.1:0";
  options.worker_listen = "127.0.0.1:0";
  options.admin_listen = "127.0.0.1:0";
  options.engine.check_consistency_every_step = true;
  return options;
}

// An open Generate call.
class Stream {
 public:
  Stream(quire::v1::Quire::Stub& stub, uint32_t max_tokens) {
    quire::v1::GenerateRequest request;
    request.mutable_token_ids()->add_ids(5);
    request.mutable_stopping()->set_max_tokens(max_tokens);
    request.mutable_stopping()->set_ignore_eos(true);
    reader_ = stub.Generate(&context_, request);
  }
  // Reads to the end; returns the number of tokens.
  int Drain() {
    int num_tokens = 0;
    quire::v1::GenerateResponse response;
    while (reader_->Read(&response)) num_tokens += response.token_ids_size();
    return num_tokens;
  }
  grpc::Status Finish() {
    Drain();
    return reader_->Finish();
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<quire::v1::GenerateResponse>> reader_;
};

class ServerTest : public ::testing::Test {
 protected:
  void Start(const ServerOptions& options = Options()) {
    auto server = Server::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    channel_ = grpc::CreateChannel(server_->api_address(),
                                   grpc::InsecureChannelCredentials());
    api_ = quire::v1::Quire::NewStub(channel_);
    health_ = Health::NewStub(channel_);
    reader_ = health_->Watch(&watch_context_, HealthCheckRequest());
    EXPECT_EQ(AwaitHealth(), HealthCheckResponse::NOT_SERVING);
  }
  // A worker attached, and the server ready.
  void StartWithWorker(const ServerOptions& options = Options()) {
    Start(options);
    worker_ = Dial();
    worker_->Attach();
    EXPECT_EQ(AwaitHealth(), HealthCheckResponse::SERVING);
  }
  std::unique_ptr<PuppetWorker> Dial() {
    const auto files = ModelFiles::Open(kModel);
    return std::make_unique<PuppetWorker>(server_->worker_address(),
                                          (*files)->fingerprint());
  }
  // The next state that Watch reports.
  HealthCheckResponse::ServingStatus AwaitHealth() {
    HealthCheckResponse response;
    EXPECT_TRUE(reader_->Read(&response));
    return response.status();
  }
  HealthCheckResponse::ServingStatus CheckHealth(const std::string& service) {
    grpc::ClientContext context;
    HealthCheckRequest request;
    request.set_service(service);
    HealthCheckResponse response;
    const grpc::Status status = health_->Check(&context, request, &response);
    return status.ok() ? response.status() : HealthCheckResponse::UNKNOWN;
  }
  httplib::Result Fetch(const std::string& path) {
    return httplib::Client("http://" + server_->admin_address()).Get(path);
  }
  quire::v1::StatusResponse Status() {
    grpc::ClientContext context;
    quire::v1::StatusResponse status;
    EXPECT_TRUE(api_->Status(&context, {}, &status).ok());
    return status;
  }
  Stream Generate(uint32_t max_tokens) { return Stream(*api_, max_tokens); }

  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<quire::v1::Quire::Stub> api_;
  std::unique_ptr<Health::Stub> health_;
  grpc::ClientContext watch_context_;
  std::unique_ptr<grpc::ClientReader<HealthCheckResponse>> reader_;
  std::unique_ptr<PuppetWorker> worker_;
};

TEST_F(ServerTest, IsNotReadyUntilAWorkerIs) {
  Start();
  EXPECT_EQ(Fetch("/readyz")->status, 503);
  EXPECT_EQ(Fetch("/readyz")->body, "not ready: 0 of 1 workers attached\n");
  EXPECT_EQ(Fetch("/livez")->status, 200);
  auto worker = Dial();
  worker->Attach();
  EXPECT_EQ(AwaitHealth(), HealthCheckResponse::SERVING);
  EXPECT_EQ(Fetch("/readyz")->status, 200);
}

TEST_F(ServerTest, HealthIsKnownByBothNames) {
  StartWithWorker();
  EXPECT_EQ(CheckHealth(""), HealthCheckResponse::SERVING);
  EXPECT_EQ(CheckHealth("quire.v1.Quire"), HealthCheckResponse::SERVING);
  EXPECT_EQ(CheckHealth("no.such.Service"), HealthCheckResponse::UNKNOWN);
}

TEST_F(ServerTest, LossOfTheWorkerIsPushedAndExplained) {
  StartWithWorker();
  worker_->Die();
  EXPECT_EQ(AwaitHealth(), HealthCheckResponse::NOT_SERVING);
  EXPECT_THAT(Fetch("/readyz")->body, HasSubstr("rank 0 hung up"));
  worker_ = Dial();
  EXPECT_EQ(worker_->Attach(), 2u);
  EXPECT_EQ(AwaitHealth(), HealthCheckResponse::SERVING);
}

TEST_F(ServerTest, StatusCallAndProbeGiveTheSameReason) {
  Start();
  EXPECT_EQ(Status().reason(), "0 of 1 workers attached");
  worker_ = Dial();
  worker_->Attach();
  EXPECT_EQ(AwaitHealth(), HealthCheckResponse::SERVING);
  EXPECT_TRUE(Status().ready());
  EXPECT_EQ(Status().reason(), "");
  worker_->Die();
  EXPECT_EQ(AwaitHealth(), HealthCheckResponse::NOT_SERVING);
  EXPECT_FALSE(Status().ready());
  EXPECT_EQ(Fetch("/readyz")->body, "not ready: " + Status().reason() + "\n");
  server_->Drain();
  EXPECT_EQ(Status().reason(), "draining");
}

TEST_F(ServerTest, TokensTravelFromTheWorkerToTheClient) {
  StartWithWorker();
  Stream stream = Generate(/*max_tokens=*/3);
  for (int i = 0; i < 3; ++i) {
    worker_->Answer(worker_->Receive().plan(), /*token=*/7);
  }
  EXPECT_EQ(stream.Drain(), 3);
  EXPECT_TRUE(stream.Finish().ok());
}

TEST_F(ServerTest, ModelIsDescribedWithoutAWorker) {
  Start();
  grpc::ClientContext context;
  quire::v1::GetModelResponse model;
  ASSERT_TRUE(api_->GetModel(&context, {}, &model).ok());
  EXPECT_EQ(model.architecture(), "llama");
}

TEST_F(ServerTest, DrainRefusesNewWorkAndFinishesTheOld) {
  StartWithWorker();
  Stream old_stream = Generate(/*max_tokens=*/1);
  const auto plan = worker_->Receive().plan();
  server_->Drain();
  EXPECT_EQ(AwaitHealth(), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(Fetch("/readyz")->body, "not ready: draining\n");
  EXPECT_EQ(Generate(1).Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_FALSE(server_->WaitUntilDrained(absl::ZeroDuration()));
  worker_->Answer(plan);
  EXPECT_EQ(old_stream.Drain(), 1);
  EXPECT_TRUE(old_stream.Finish().ok());
  EXPECT_TRUE(server_->WaitUntilDrained(kLimit));
}

TEST_F(ServerTest, DrainLimitEndsWhatStillRuns) {
  ServerOptions options = Options();
  options.drain_limit = absl::ZeroDuration();
  StartWithWorker(options);
  Stream stream = Generate(/*max_tokens=*/1);
  worker_->Receive();
  server_->Drain();
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(server_->WaitUntilDrained(kLimit));
}

TEST_F(ServerTest, EndsAtOnceWithARequestOpen) {
  StartWithWorker();
  Stream stream = Generate(/*max_tokens=*/1);
  worker_->Receive();
  server_.reset();
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(worker_->AwaitEnd().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(ServerTest, BlocksAreLimitedByWhatSequencesCanUse) {
  ServerOptions options = Options();
  options.num_blocks = 3;
  Start(options);
  worker_ = Dial();
  worker_->SayHello(0, 1);
  EXPECT_EQ(worker_->Receive().welcome().num_blocks(), 3u);
}

// --- What the operator gets wrong.

TEST_F(ServerTest, MissingModelIsOneSentence) {
  ServerOptions options = Options();
  options.model = "/no/such/model";
  EXPECT_THAT(std::string(Server::Start(options).status().message()),
              HasSubstr("/no/such/model"));
}

TEST_F(ServerTest, EachPortInUseIsNamed) {
  Start();
  for (auto [address, port] :
       {std::pair(&ServerOptions::listen, server_->api_address()),
        std::pair(&ServerOptions::worker_listen, server_->worker_address()),
        std::pair(&ServerOptions::admin_listen, server_->admin_address())}) {
    ServerOptions options = Options();
    options.*address = port;
    EXPECT_EQ(std::string(Server::Start(options).status().message()),
              "cannot listen on " + port + ": Address already in use");
  }
}

// --- The scrape as a whole.

class ScrapeTest : public ServerTest {
 protected:
  // Standard output and error of `promtool check metrics`, and "clean" where
  // it has no complaint.
  std::string Promtool(const std::string& text) {
    const std::string path = ::testing::TempDir() + "/scrape";
    std::ofstream(path) << text;
    const std::string command =
        "promtool check metrics <" + path + " 2>&1 && echo clean";
    FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) {
      output.push_back(static_cast<char>(c));
    }
    pclose(pipe);
    return output;
  }
};

TEST_F(ScrapeTest, PromtoolHasNoComplaint) {
  if (std::system("command -v promtool >/dev/null") != 0) {
    GTEST_SKIP() << "promtool is not installed";
  }
  StartWithWorker();
  Stream stream = Generate(/*max_tokens=*/1);
  worker_->Answer(worker_->Receive().plan());
  stream.Drain();
  EXPECT_EQ(Promtool(Fetch("/metrics")->body), "clean\n");
  EXPECT_THAT(Promtool("bad_Name{ 1\n"), ::testing::Not(StartsWith("clean")));
}

TEST_F(ScrapeTest, HoldsProcessWorkerAndEngine) {
  StartWithWorker();
  const std::string text = Fetch("/metrics")->body;
  EXPECT_THAT(text, HasSubstr("\nprocess_resident_memory_bytes "));
  EXPECT_THAT(text, HasSubstr("\nquire_worker_up{rank=\"0\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nquire_steps_total "));
  EXPECT_THAT(text, HasSubstr("quire_build_info{architecture=\"llama\","));
}

}  // namespace
}  // namespace quire
