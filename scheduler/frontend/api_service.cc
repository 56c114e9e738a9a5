#include "scheduler/frontend/api_service.h"

#include <random>
#include <utility>

#include "absl/time/clock.h"
#include "scheduler/frontend/engine_port.h"
#include "scheduler/frontend/quire_service.h"

namespace quire {
namespace {

class EngineAdapter final : public EnginePort {
 public:
  EngineAdapter(Engine* engine, const Clock* clock)
      : engine_(*engine), clock_(*clock) {}
  // gRPC names deadlines by the machine's clock, the engine has its own.
  void Submit(GenerationRequest request) override {
    request.deadline = clock_.Now() + (request.deadline - absl::Now());
    engine_.Submit(std::move(request));
  }
  void Cancel(RequestId id) override { engine_.Cancel(id); }
  EngineSnapshot Snapshot(bool with_blocks) override {
    return engine_.Snapshot(with_blocks);
  }

 private:
  Engine& engine_;
  const Clock& clock_;
};

uint64_t RandomSeed() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

}  // namespace

std::unique_ptr<quire::v1::Quire::CallbackService> MakeApiService(
    const ApiBackends& backends) {
  return std::make_unique<QuireService>(QuireServiceParts{
      .files = backends.files,
      .tokenizer = backends.tokenizer,
      .limits = backends.limits,
      .chat_template = backends.chat_template,
      .chat_refusal = backends.chat_refusal,
      .engine =
          std::make_unique<EngineAdapter>(backends.engine, backends.clock),
      .workers = backends.workers,
      .check_ready = backends.check_ready,
      .clock = backends.clock,
      .max_open_calls = backends.max_open_calls,
      .random_seed = RandomSeed,
  });
}

}  // namespace quire
