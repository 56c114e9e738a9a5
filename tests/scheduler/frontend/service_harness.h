#ifndef QUIRE_TESTS_SCHEDULER_FRONTEND_SERVICE_HARNESS_H_
#define QUIRE_TESTS_SCHEDULER_FRONTEND_SERVICE_HARNESS_H_

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "common/clock.h"
#include "common/modelfile/model_files.h"
#include "grpcpp/grpcpp.h"
#include "quire/v1/quire.grpc.pb.h"
#include "scheduler/cluster/worker_directory.h"
#include "scheduler/frontend/quire_service.h"
#include "tests/scheduler/frontend/byte_tokenizer.h"
#include "tests/scheduler/frontend/fake_engine.h"

namespace quire::testing {

// A model of which only the configuration and the names are looked at.
class FakeModelFiles final : public ModelFiles {
 public:
  FakeModelFiles();
  const ModelConfig& config() const override { return config_; }
  const std::string& name() const override { return name_; }
  const std::string& fingerprint() const override { return fingerprint_; }
  uint64_t num_parameters() const override { return 1234; }
  const TensorView* FindTensor(std::string_view name) const override {
    return nullptr;
  }
  const GgufFile* gguf() const override { return nullptr; }
  const std::string& folder() const override { return name_; }

 private:
  ModelConfig config_;  // 300 tokens, 8,192 of context.
  const std::string name_ = "fake";
  const std::string fingerprint_ = "0123456789abcdef";
};

class FakeWorkers final : public WorkerDirectory {
 public:
  std::vector<WorkerInfo> Workers() const override {
    return {{.rank = Rank(0), .up = true}};
  }
};

class FakeClock final : public Clock {
 public:
  absl::Time Now() const override { return now; }
  absl::Time now = absl::FromUnixSeconds(1000);
};

// QuireService on a gRPC server of this process and a client of it. The engine
// is the test's.
class ServiceHarness {
 public:
  static constexpr uint32_t kMaxOpenCalls = 100;

  explicit ServiceHarness(const ChatTemplate* chat_template = nullptr);
  ~ServiceHarness();

  v1::Quire::Stub& stub() { return *stub_; }
  FakeEngine& engine() { return *engine_; }
  // Change before the first call.
  ByteTokenizer& tokenizer() { return tokenizer_; }
  FakeClock& clock() { return clock_; }

  // Ends the open calls at once, and the service when they are done.
  void ShutDown();

 private:
  FakeModelFiles files_;
  ByteTokenizer tokenizer_;
  FakeWorkers workers_;
  FakeClock clock_;
  std::shared_ptr<FakeEngine> engine_ = std::make_shared<FakeEngine>();
  std::unique_ptr<QuireService> service_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<v1::Quire::Stub> stub_;
};

// An open Generate call.
class GenerateCall {
 public:
  GenerateCall(ServiceHarness* harness, const v1::GenerateRequest& request,
               absl::Time deadline = absl::InfiniteFuture());

  // The next message; false at the end.
  bool Read(v1::GenerateResponse* response) { return reader_->Read(response); }
  // Reads to the end. All messages' repeated fields and texts, concatenated.
  v1::GenerateResponse ReadAll();
  // After the end.
  grpc::Status Finish() { return reader_->Finish(); }
  void Cancel() { context_.TryCancel(); }

  // Messages read.
  int num_messages() const { return num_messages_; }
  // Of the server's trailers; empty where there is none of the name. After
  // Finish.
  std::string Trailer(const std::string& name) const;

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::GenerateResponse>> reader_;
  int num_messages_ = 0;
};

}  // namespace quire::testing

#endif  // QUIRE_TESTS_SCHEDULER_FRONTEND_SERVICE_HARNESS_H_
