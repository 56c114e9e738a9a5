#ifndef QUIRE_TESTS_CLIENT_FAKE_QUIRE_SERVER_H_
#define QUIRE_TESTS_CLIENT_FAKE_QUIRE_SERVER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/server.h"
#include "quire/v1/quire.grpc.pb.h"

namespace quire {

// A server of the public API in this process that answers what a test told it
// to. A token is a byte of text. Set the answers before calls come; what was
// asked may be read at any time.
class FakeQuireServer final : private quire::v1::Quire::Service {
 public:
  FakeQuireServer();
  ~FakeQuireServer() override;

  // HOST:PORT.
  const std::string& address() const { return address_; }

  // What Generate streams, and how it ends.
  std::vector<quire::v1::GenerateResponse> events;
  grpc::Status generate_status;
  std::string retry_after_ms;  // A trailer, where not empty.
  // After the events Generate waits until the client cancels.
  bool hang = false;

  quire::v1::GetModelResponse model;
  quire::v1::StatusResponse status;
  std::vector<quire::v1::WatchBlocksResponse> frames;
  grpc::Status watch_status;

  // Appends an event of text, its bytes as tokens.
  void AddText(const std::string& text);
  // Appends the event that ends the sequence and the stream.
  void AddEnd(quire::v1::FinishReason reason, const std::string& stop_reason);

  // The Generate requests so far.
  std::vector<quire::v1::GenerateRequest> requests() const;
  quire::v1::TokenizeRequest last_tokenize() const;
  quire::v1::WatchBlocksRequest last_watch() const;

 private:
  grpc::Status Generate(
      grpc::ServerContext* context, const quire::v1::GenerateRequest* request,
      grpc::ServerWriter<quire::v1::GenerateResponse>* writer) override;
  grpc::Status Tokenize(grpc::ServerContext* context,
                        const quire::v1::TokenizeRequest* request,
                        quire::v1::TokenizeResponse* response) override;
  grpc::Status Detokenize(grpc::ServerContext* context,
                          const quire::v1::DetokenizeRequest* request,
                          quire::v1::DetokenizeResponse* response) override;
  grpc::Status GetModel(grpc::ServerContext* context,
                        const quire::v1::GetModelRequest* request,
                        quire::v1::GetModelResponse* response) override;
  grpc::Status Status(grpc::ServerContext* context,
                      const quire::v1::StatusRequest* request,
                      quire::v1::StatusResponse* response) override;
  grpc::Status WatchBlocks(
      grpc::ServerContext* context,
      const quire::v1::WatchBlocksRequest* request,
      grpc::ServerWriter<quire::v1::WatchBlocksResponse>* writer) override;

  mutable absl::Mutex mutex_;
  std::vector<quire::v1::GenerateRequest> requests_ ABSL_GUARDED_BY(mutex_);
  quire::v1::TokenizeRequest last_tokenize_ ABSL_GUARDED_BY(mutex_);
  quire::v1::WatchBlocksRequest last_watch_ ABSL_GUARDED_BY(mutex_);
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace quire

#endif  // QUIRE_TESTS_CLIENT_FAKE_QUIRE_SERVER_H_
