#ifndef QUIRE_SCHEDULER_FRONTEND_QUIRE_SERVICE_H_
#define QUIRE_SCHEDULER_FRONTEND_QUIRE_SERVICE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "common/clock.h"
#include "common/modelfile/model_files.h"
#include "quire/v1/quire.grpc.pb.h"
#include "scheduler/cluster/worker_directory.h"
#include "scheduler/frontend/engine_port.h"
#include "scheduler/frontend/generate_reactor.h"
#include "scheduler/frontend/model_limits.h"
#include "scheduler/frontend/prompt_encoder.h"
#include "scheduler/frontend/request_builder.h"
#include "scheduler/frontend/stream_limit.h"
#include "scheduler/frontend/task_pool.h"
#include "scheduler/frontend/tokenize_pool.h"
#include "scheduler/text/chat_template.h"
#include "scheduler/text/tokenizer.h"

namespace quire {

// What the service is made of. Of pointers nothing is owned; all must outlive
// it.
struct QuireServiceParts {
  const ModelFiles* files = nullptr;
  const Tokenizer* tokenizer = nullptr;
  ModelLimits limits;  // Of the two.
  // Null: chat is refused because of `chat_refusal`.
  const ChatTemplate* chat_template = nullptr;
  absl::Status chat_refusal;
  std::unique_ptr<EnginePort> engine;
  const WorkerDirectory* workers = nullptr;
  // OK, or why the server takes no work. Thread-safe.
  std::function<absl::Status()> check_ready;
  const Clock* clock = nullptr;
  // Generate calls that may be open at the same time.
  uint32_t max_open_calls = 0;
  // For requests that bring no seed. Thread-safe.
  std::function<uint64_t()> random_seed;
};

// quire.v1.Quire over an engine: its methods are the proto's. Thread-safe. Shut
// the grpc::Server down before destroying it.
class QuireService final : public v1::Quire::CallbackService {
 public:
  explicit QuireService(QuireServiceParts parts);

  grpc::ServerWriteReactor<v1::GenerateResponse>* Generate(
      grpc::CallbackServerContext* context,
      const v1::GenerateRequest* request) override;
  grpc::ServerUnaryReactor* Tokenize(grpc::CallbackServerContext* context,
                                     const v1::TokenizeRequest* request,
                                     v1::TokenizeResponse* response) override;
  grpc::ServerUnaryReactor* Detokenize(
      grpc::CallbackServerContext* context,
      const v1::DetokenizeRequest* request,
      v1::DetokenizeResponse* response) override;
  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* context,
                                     const v1::GetModelRequest* request,
                                     v1::GetModelResponse* response) override;
  grpc::ServerUnaryReactor* Status(grpc::CallbackServerContext* context,
                                   const v1::StatusRequest* request,
                                   v1::StatusResponse* response) override;
  grpc::ServerWriteReactor<v1::WatchBlocksResponse>* WatchBlocks(
      grpc::CallbackServerContext* context,
      const v1::WatchBlocksRequest* request) override;

 private:
  absl::Duration Uptime() const { return parts_.clock->Now() - started_at_; }

  const QuireServiceParts parts_;
  const absl::Time started_at_;
  const PromptEncoder encoder_;
  const RequestBuilder builder_;
  TokenizePool tokenize_pool_;
  TaskPool delivery_;
  StreamLimit open_calls_;
  const GenerateEnvironment environment_;
  std::atomic<uint64_t> last_request_id_ = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_QUIRE_SERVICE_H_
