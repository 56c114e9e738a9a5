#ifndef QUIRE_CLIENT_GENERATION_STREAM_H_
#define QUIRE_CLIENT_GENERATION_STREAM_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/server_connection.h"
#include "grpcpp/client_context.h"
#include "quire/v1/quire.grpc.pb.h"

namespace quire {

// One Generate call, from its start to its status. Cancel is thread-safe; the
// connection must outlive the stream.
class GenerationStream {
 public:
  // Starts the call. It ends after `limit`, which may be infinite.
  GenerationStream(const ServerConnection& server,
                   const quire::v1::GenerateRequest& request,
                   absl::Duration limit);

  // Hands over every message as it comes and returns how the call ended. An
  // error of `deliver` ends the call and is returned. Call once.
  absl::Status ForEach(
      const std::function<absl::Status(const quire::v1::GenerateResponse&)>&
          deliver);

  // Ends the call; ForEach returns CANCELLED soon.
  void Cancel() { context_.TryCancel(); }

 private:
  const ServerConnection& server_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<quire::v1::GenerateResponse>> reader_;
};

}  // namespace quire

#endif  // QUIRE_CLIENT_GENERATION_STREAM_H_
