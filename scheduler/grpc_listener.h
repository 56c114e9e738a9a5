#ifndef QUIRE_SCHEDULER_GRPC_LISTENER_H_
#define QUIRE_SCHEDULER_GRPC_LISTENER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/message_limits.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"

namespace quire {

struct GrpcListener {
  std::unique_ptr<grpc::Server> server;
  std::string address;  // With the port that was chosen; what a client dials.
};

// Adds the address and what every server of ours wants to `builder` (messages
// of a size, one owner for a port, keepalive in both directions), builds the
// server and starts it. INVALID_ARGUMENT: no address; UNAVAILABLE: it cannot be
// listened on, and why.
absl::StatusOr<GrpcListener> BuildAndListen(
    grpc::ServerBuilder& builder, const std::string& address,
    int max_request_bytes = kMaxMessageBytes);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_GRPC_LISTENER_H_
