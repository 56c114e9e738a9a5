#ifndef QUIRE_SCHEDULER_FRONTEND_API_SERVICE_H_
#define QUIRE_SCHEDULER_FRONTEND_API_SERVICE_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "common/clock.h"
#include "common/modelfile/model_files.h"
#include "grpcpp/support/status.h"
#include "quire/v1/quire.grpc.pb.h"
#include "scheduler/cluster/worker_directory.h"
#include "scheduler/engine/engine.h"
#include "scheduler/frontend/model_limits.h"
#include "scheduler/text/chat_template.h"
#include "scheduler/text/tokenizer.h"

namespace quire {

// What the service answers from. Nothing is owned; all must outlive it.
struct ApiBackends {
  const ModelFiles* files = nullptr;
  const Tokenizer* tokenizer = nullptr;
  ModelLimits limits;  // Of the two.
  // Null: chat is refused, with `chat_refusal` as the reason.
  const ChatTemplate* chat_template = nullptr;
  absl::Status chat_refusal;
  Engine* engine = nullptr;
  const WorkerDirectory* workers = nullptr;
  // OK, or why the server takes no work. Thread-safe.
  std::function<absl::Status()> check_ready;
  const Clock* clock = nullptr;
  // Generate calls that may be open at the same time.
  uint32_t max_open_calls = 0;
};

// Makes the public gRPC service quire.v1.Quire (gRPC's callback API):
// validates, tokenizes, submits to the engine and writes what comes into the
// mailbox. Thread-safe. Shut the grpc::Server down before destroying it.
std::unique_ptr<quire::v1::Quire::CallbackService> MakeApiService(
    const ApiBackends& backends);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_API_SERVICE_H_
