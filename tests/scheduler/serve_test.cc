// The scheduler as a process: its exit codes, its signals, its last words.

#include "scheduler/serve.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "common/modelfile/model_files.h"
#include "gmock/gmock.h"
#include "grpcpp/create_channel.h"
#include "gtest/gtest.h"
#include "quire/v1/quire.grpc.pb.h"
#include "tests/scheduler/cluster/puppet_worker.h"

namespace quire {
namespace {

using ::quire::testing::PuppetWorker;
using ::testing::HasSubstr;

constexpr char kProgram[] = "scheduler/quire-scheduler";
constexpr char kModel[] = "tests/testdata/tiny/llama3rope_f32";

// A scheduler of its own process. Unix sockets, so that their names are known
// beforehand.
class ServeTest : public ::testing::Test {
 protected:
  ServeTest() : folder_("/tmp/quire_serve_XXXXXX") {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
  }
  ~ServeTest() override {
    if (process_ > 0) kill(process_, SIGKILL);
    for (const char* name : {"/api", "/workers"}) {
      unlink((folder_ + name).c_str());
    }
    rmdir(folder_.c_str());
  }

  void Start(const std::string& model, const std::string& flag = "") {
    std::vector<std::string> words = {
        kProgram, "--model=" + model, "--listen=" + Api(),
        "--worker_listen=" + Workers(), "--admin_listen=127.0.0.1:0"};
    if (!flag.empty()) words.push_back(flag);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ASSERT_EQ(pipe(errors_), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, errors_[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, errors_[0]);
    ASSERT_EQ(posix_spawn(&process_, kProgram, &actions, nullptr,
                          arguments.data(), environ),
              0);
    posix_spawn_file_actions_destroy(&actions);
    close(errors_[1]);
  }
  // Waits for the process; returns its exit code, or minus its signal.
  int AwaitEnd() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  // All that it wrote to standard error; call when it has ended.
  std::string Errors() {
    std::string text;
    char buffer[4096];
    for (ssize_t size; (size = read(errors_[0], buffer, sizeof(buffer))) > 0;) {
      text.append(buffer, static_cast<size_t>(size));
    }
    close(errors_[0]);
    return text;
  }
  void Signal(int signal) { kill(process_, signal); }
  std::string Api() const { return "unix:" + folder_ + "/api"; }
  std::string Workers() const { return "unix:" + folder_ + "/workers"; }

  std::string folder_;
  pid_t process_ = -1;
  int errors_[2];
};

TEST_F(ServeTest, MissingModelEndsWithOneSentence) {
  Start("/no/such/model");
  EXPECT_EQ(AwaitEnd(), 1);
  const std::string errors = Errors();
  EXPECT_THAT(errors, HasSubstr("/no/such/model"));
  EXPECT_EQ(errors.find('\n'), errors.size() - 1) << errors;
}

TEST_F(ServeTest, BadOptionEndsWithOneSentence) {
  Start(kModel, "--block_size=0");
  EXPECT_EQ(AwaitEnd(), 1);
  const std::string errors = Errors();
  EXPECT_THAT(errors, HasSubstr("block_size is 0, must be 1 to 1024"));
  EXPECT_EQ(errors.find('\n'), errors.size() - 1) << errors;
}

// With a worker and a request that it does not answer.
class BusyServeTest : public ServeTest {
 protected:
  void StartBusy(const std::string& flag) {
    Start(kModel, flag);
    const auto files = ModelFiles::Open(kModel);
    worker_ =
        std::make_unique<PuppetWorker>(Workers(), (*files)->fingerprint());
    worker_->Attach();
    api_ = quire::v1::Quire::NewStub(
        grpc::CreateChannel(Api(), grpc::InsecureChannelCredentials()));
    AwaitReady();
    quire::v1::GenerateRequest request;
    request.mutable_token_ids()->add_ids(5);
    request.mutable_stopping()->set_max_tokens(1);
    stream_ = api_->Generate(&context_, request);
    plan_ = worker_->Receive().plan();
  }
  // The worker's Ready is on its way to the engine: asks until it is there.
  void AwaitReady() {
    quire::v1::StatusResponse status;
    while (!status.ready()) {
      grpc::ClientContext context;
      context.set_wait_for_ready(true);
      ASSERT_TRUE(api_->Status(&context, {}, &status).ok());
    }
  }
  grpc::Status Finish() {
    quire::v1::GenerateResponse response;
    while (stream_->Read(&response)) {
    }
    return stream_->Finish();
  }

  std::unique_ptr<PuppetWorker> worker_;
  std::unique_ptr<quire::v1::Quire::Stub> api_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<quire::v1::GenerateResponse>> stream_;
  worker::v1::StepPlan plan_;
};

TEST_F(BusyServeTest, SigtermFinishesWhatRuns) {
  StartBusy("--drain_limit=1h");
  Signal(SIGTERM);
  worker_->Answer(plan_);
  EXPECT_TRUE(Finish().ok());
  EXPECT_EQ(AwaitEnd(), 0);
}

TEST_F(BusyServeTest, DrainLimitEndsWhatStillRuns) {
  StartBusy("--drain_limit=0s");
  Signal(SIGINT);
  EXPECT_EQ(Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(AwaitEnd(), 0);
}

TEST_F(BusyServeTest, SecondSignalEndsAtOnce) {
  StartBusy("--drain_limit=1h");
  Signal(SIGTERM);
  // Two signals of one kind would be one while the first is not taken.
  Signal(SIGINT);
  EXPECT_EQ(Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(AwaitEnd(), 0);
}

}  // namespace
}  // namespace quire
