#include "scheduler/frontend/quire_service.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "common/grpc_status.h"
#include "scheduler/frontend/retry_hint.h"
#include "scheduler/frontend/status_response.h"
#include "scheduler/frontend/text_methods.h"
#include "scheduler/frontend/watch_blocks_reactor.h"

namespace quire {
namespace {

// Of the processors the larger part is for gRPC and for local workers: one
// thread in `share`, at least 1, at most 4.
int NumThreads(unsigned share) {
  return static_cast<int>(
      std::clamp(std::thread::hardware_concurrency() / share, 1u, 4u));
}

// A stream that ends before it begins.
template <typename Response>
class RefusedStream final : public grpc::ServerWriteReactor<Response> {
 public:
  explicit RefusedStream(const absl::Status& status) {
    this->Finish(ToGrpcStatus(status));
  }
  void OnDone() override { delete this; }
};

grpc::ServerUnaryReactor* FinishUnary(grpc::CallbackServerContext* context,
                                      const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  AddRetryHint(status, context);
  reactor->Finish(ToGrpcStatus(status));
  return reactor;
}

// Finishes with `work`'s status, on this thread or from the pool.
grpc::ServerUnaryReactor* FinishWithWork(grpc::CallbackServerContext* context,
                                         TokenizePool* pool, size_t num_bytes,
                                         std::function<absl::Status()> work) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const absl::Status accepted =
      pool->Run(num_bytes, [reactor, work = std::move(work)] {
        reactor->Finish(ToGrpcStatus(work()));
      });
  return accepted.ok() ? reactor : FinishUnary(context, accepted);
}

}  // namespace

QuireService::QuireService(QuireServiceParts parts)
    : parts_(std::move(parts)),
      started_at_(parts_.clock->Now()),
      encoder_(parts_.tokenizer, parts_.chat_template, parts_.chat_refusal,
               parts_.limits.vocabulary_size),
      builder_(parts_.tokenizer, &encoder_, &parts_.limits),
      tokenize_pool_({.num_threads = NumThreads(/*share=*/4)}),
      delivery_(NumThreads(/*share=*/8),
                /*max_waiting=*/std::numeric_limits<size_t>::max()),
      open_calls_(parts_.max_open_calls),
      environment_({.builder = &builder_,
                    .tokenize_pool = &tokenize_pool_,
                    .delivery = &delivery_,
                    .engine = parts_.engine.get(),
                    .open_calls = &open_calls_}) {}

grpc::ServerWriteReactor<v1::GenerateResponse>* QuireService::Generate(
    grpc::CallbackServerContext* context, const v1::GenerateRequest* request) {
  const RequestId id(++last_request_id_);
  return GenerateReactor::Start(&environment_, id, parts_.random_seed(),
                                request, context);
}

grpc::ServerUnaryReactor* QuireService::Tokenize(
    grpc::CallbackServerContext* context, const v1::TokenizeRequest* request,
    v1::TokenizeResponse* response) {
  const absl::Status checked = CheckTokenize(*request, encoder_);
  if (!checked.ok()) return FinishUnary(context, checked);
  return FinishWithWork(context, &tokenize_pool_, NumTextBytes(*request),
                        [this, request, response] {
                          absl::StatusOr<v1::TokenizeResponse> answer =
                              quire::Tokenize(*request, encoder_);
                          if (answer.ok()) *response = *std::move(answer);
                          return answer.status();
                        });
}

grpc::ServerUnaryReactor* QuireService::Detokenize(
    grpc::CallbackServerContext* context, const v1::DetokenizeRequest* request,
    v1::DetokenizeResponse* response) {
  const absl::Status checked = CheckDetokenize(*request, parts_.limits);
  if (!checked.ok()) return FinishUnary(context, checked);
  return FinishWithWork(
      context, &tokenize_pool_, request->ids_size(), [this, request, response] {
        *response = quire::Detokenize(*request, *parts_.tokenizer);
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* QuireService::GetModel(
    grpc::CallbackServerContext* context, const v1::GetModelRequest*,
    v1::GetModelResponse* response) {
  response->set_name(parts_.files->name());
  response->set_architecture(parts_.files->config().architecture);
  response->set_fingerprint(parts_.files->fingerprint());
  response->set_vocabulary_size(parts_.limits.vocabulary_size);
  response->set_context_length(parts_.limits.context_length);
  response->mutable_eos_token_ids()->Assign(parts_.limits.eos_token_ids.begin(),
                                            parts_.limits.eos_token_ids.end());
  if (parts_.chat_template != nullptr)
    response->set_chat_template(std::string(parts_.chat_template->family()));
  response->set_num_parameters(parts_.files->num_parameters());
  response->set_longest_token_bytes(parts_.limits.longest_token_bytes);
  return FinishUnary(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* QuireService::Status(
    grpc::CallbackServerContext* context, const v1::StatusRequest*,
    v1::StatusResponse* response) {
  *response = ToStatusResponse(parts_.check_ready(),
                               parts_.engine->Snapshot(/*with_blocks=*/false),
                               parts_.workers->Workers(), Uptime());
  return FinishUnary(context, absl::OkStatus());
}

grpc::ServerWriteReactor<v1::WatchBlocksResponse>* QuireService::WatchBlocks(
    grpc::CallbackServerContext* context,
    const v1::WatchBlocksRequest* request) {
  const absl::StatusOr<absl::Duration> interval = WatchInterval(*request);
  if (!interval.ok())
    return new RefusedStream<v1::WatchBlocksResponse>(interval.status());
  return WatchBlocksReactor::Start(*interval, [this] {
    return ToWatchBlocksResponse(parts_.check_ready(),
                                 parts_.engine->Snapshot(/*with_blocks=*/true),
                                 parts_.workers->Workers(), Uptime());
  });
}

}  // namespace quire
