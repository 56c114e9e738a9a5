#include "tests/scheduler/frontend/service_harness.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/message_limits.h"
#include "grpc/grpc.h"
#include "scheduler/frontend/model_limits.h"

namespace quire::testing {
namespace {

// gRPC's last user waits for a poller of its own when it leaves, up to ten
// seconds after a long message; so there is always one more.
void KeepGrpcAlive() {
  [[maybe_unused]] static const bool once = (grpc_init(), true);
}

// The service owns its port; the test keeps the engine.
class SharedEngine final : public EnginePort {
 public:
  explicit SharedEngine(std::shared_ptr<FakeEngine> engine)
      : engine_(std::move(engine)) {}
  void Submit(GenerationRequest request) override {
    engine_->Submit(std::move(request));
  }
  void Cancel(RequestId id) override { engine_->Cancel(id); }
  EngineSnapshot Snapshot(bool with_blocks) override {
    return engine_->Snapshot(with_blocks);
  }

 private:
  const std::shared_ptr<FakeEngine> engine_;
};

}  // namespace

FakeModelFiles::FakeModelFiles() {
  config_.architecture = "llama";
  config_.vocabulary_size = 300;
  config_.context_length = 8192;
  config_.eos_token_ids = {ByteTokenizer::kTurn};
}

ServiceHarness::ServiceHarness(const ChatTemplate* chat_template) {
  KeepGrpcAlive();
  service_ = std::make_unique<QuireService>(QuireServiceParts{
      .files = &files_,
      .tokenizer = &tokenizer_,
      .limits = LimitsOf(files_.config(), tokenizer_),
      .chat_template = chat_template,
      .chat_refusal = absl::UnimplementedError(
          "the model's template is of no known family"),
      .engine = std::make_unique<SharedEngine>(engine_),
      .workers = &workers_,
      .check_ready = [] { return absl::UnavailableError("no worker"); },
      .clock = &clock_,
      .max_open_calls = kMaxOpenCalls,
      .random_seed = [] { return uint64_t{99}; },
  });
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  QUIRE_CHECK(server_ != nullptr && port != 0);
  stub_ = v1::Quire::NewStub(grpc::CreateChannel(
      absl::StrCat("127.0.0.1:", port), grpc::InsecureChannelCredentials()));
}

ServiceHarness::~ServiceHarness() { ShutDown(); }

void ServiceHarness::ShutDown() {
  if (server_ == nullptr) return;
  server_->Shutdown(std::chrono::system_clock::now());
  server_ = nullptr;
  service_ = nullptr;
}

GenerateCall::GenerateCall(ServiceHarness* harness,
                           const v1::GenerateRequest& request,
                           absl::Time deadline) {
  if (deadline != absl::InfiniteFuture())
    context_.set_deadline(absl::ToChronoTime(deadline));
  reader_ = harness->stub().Generate(&context_, request);
}

v1::GenerateResponse GenerateCall::ReadAll() {
  v1::GenerateResponse all;
  v1::GenerateResponse part;
  std::string text;
  while (Read(&part)) {
    ++num_messages_;
    text += part.text();
    all.MergeFrom(part);
  }
  all.set_text(text);
  return all;
}

std::string GenerateCall::Trailer(const std::string& name) const {
  const auto& trailers = context_.GetServerTrailingMetadata();
  const auto found = trailers.find(name);
  return found == trailers.end()
             ? ""
             : std::string(found->second.begin(), found->second.end());
}

}  // namespace quire::testing
