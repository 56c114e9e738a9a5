#include "tests/client/fake_quire_server.h"

#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/check.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server_builder.h"

namespace quire {
namespace {

using grpc::ServerContext;
using grpc::ServerWriter;
using quire::v1::GenerateRequest;
using quire::v1::GenerateResponse;

// A cancelled call is noticed by asking: the synchronous API has no event.
void WaitForCancellation(const ServerContext& context) {
  while (!context.IsCancelled()) absl::SleepFor(absl::Milliseconds(1));
}

uint32_t PromptTokens(const GenerateRequest& request) {
  if (request.has_token_ids()) return request.token_ids().ids().size();
  return request.text().size();
}

}  // namespace

FakeQuireServer::FakeQuireServer() {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  QUIRE_CHECK(server_ != nullptr && port != 0);
  address_ = absl::StrCat("127.0.0.1:", port);
}

FakeQuireServer::~FakeQuireServer() {
  server_->Shutdown(std::chrono::system_clock::now());
}

void FakeQuireServer::AddText(const std::string& text) {
  GenerateResponse& event = events.emplace_back();
  event.set_text(text);
  for (const char byte : text) {
    event.add_token_ids(static_cast<uint8_t>(byte));
  }
}

void FakeQuireServer::AddEnd(quire::v1::FinishReason reason,
                             const std::string& stop_reason) {
  uint32_t num_generated = 0;
  for (const GenerateResponse& event : events) {
    num_generated += event.token_ids().size();
  }
  GenerateResponse& end = events.emplace_back();
  end.set_finish_reason(reason);
  end.set_stop_reason(stop_reason);
  end.mutable_usage()->set_generated_tokens(num_generated);
}

std::vector<GenerateRequest> FakeQuireServer::requests() const {
  absl::MutexLock lock(&mutex_);
  return requests_;
}

quire::v1::TokenizeRequest FakeQuireServer::last_tokenize() const {
  absl::MutexLock lock(&mutex_);
  return last_tokenize_;
}

quire::v1::WatchBlocksRequest FakeQuireServer::last_watch() const {
  absl::MutexLock lock(&mutex_);
  return last_watch_;
}

grpc::Status FakeQuireServer::Generate(ServerContext* context,
                                       const GenerateRequest* request,
                                       ServerWriter<GenerateResponse>* writer) {
  {
    absl::MutexLock lock(&mutex_);
    requests_.push_back(*request);
  }
  for (GenerateResponse event : events) {
    if (event.has_usage()) {
      event.mutable_usage()->set_prompt_tokens(PromptTokens(*request));
    }
    writer->Write(event);
  }
  if (hang) WaitForCancellation(*context);
  if (!retry_after_ms.empty()) {
    context->AddTrailingMetadata("retry-after-ms", retry_after_ms);
  }
  return generate_status;
}

grpc::Status FakeQuireServer::Tokenize(
    ServerContext* context, const quire::v1::TokenizeRequest* request,
    quire::v1::TokenizeResponse* response) {
  absl::MutexLock lock(&mutex_);
  last_tokenize_ = *request;
  for (const char byte : request->text()) {
    response->add_ids(static_cast<uint8_t>(byte));
  }
  return grpc::Status::OK;
}

grpc::Status FakeQuireServer::Detokenize(
    ServerContext* context, const quire::v1::DetokenizeRequest* request,
    quire::v1::DetokenizeResponse* response) {
  for (const int32_t id : request->ids()) {
    response->mutable_text()->push_back(static_cast<char>(id));
  }
  return grpc::Status::OK;
}

grpc::Status FakeQuireServer::GetModel(
    ServerContext* context, const quire::v1::GetModelRequest* request,
    quire::v1::GetModelResponse* response) {
  *response = model;
  return grpc::Status::OK;
}

grpc::Status FakeQuireServer::Status(ServerContext* context,
                                     const quire::v1::StatusRequest* request,
                                     quire::v1::StatusResponse* response) {
  *response = status;
  return grpc::Status::OK;
}

grpc::Status FakeQuireServer::WatchBlocks(
    ServerContext* context, const quire::v1::WatchBlocksRequest* request,
    ServerWriter<quire::v1::WatchBlocksResponse>* writer) {
  {
    absl::MutexLock lock(&mutex_);
    last_watch_ = *request;
  }
  for (const auto& frame : frames) writer->Write(frame);
  if (watch_status.ok()) WaitForCancellation(*context);
  return watch_status;
}

}  // namespace quire
