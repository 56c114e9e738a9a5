#include "scheduler/grpc_listener.h"

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "grpcpp/security/server_credentials.h"
#include "scheduler/listen_address.h"

namespace quire {
namespace {

// A peer whose machine or cable vanished is noticed within time + timeout: gRPC
// sets TCP_USER_TIMEOUT to the latter.
constexpr int kKeepaliveTimeMs = 10'000;
constexpr int kKeepaliveTimeoutMs = 20'000;
// Peers may ping every 10 s; a little less, because timers are not exact.
constexpr int kMinPingIntervalMs = 9'000;
// For a connection to say its first HTTP/2 words.
constexpr int kHandshakeTimeoutMs = 10'000;

void AddSettings(grpc::ServerBuilder& builder) {
  builder.SetMaxSendMessageSize(kMaxMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                             kKeepaliveTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
      kMinPingIntervalMs);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             kHandshakeTimeoutMs);
}

}  // namespace

absl::StatusOr<GrpcListener> BuildAndListen(grpc::ServerBuilder& builder,
                                            const std::string& address,
                                            int max_request_bytes) {
  QUIRE_ASSIGN_OR_RETURN(ListenAddress parsed, ListenAddress::Parse(address));
  QUIRE_RETURN_IF_ERROR(parsed.CheckCanListen());
  AddSettings(builder);
  builder.SetMaxReceiveMessageSize(max_request_bytes);
  int port = 0;
  builder.AddListeningPort(parsed.ToString(), grpc::InsecureServerCredentials(),
                           &port);
  GrpcListener listener;
  listener.server = builder.BuildAndStart();
  if (listener.server == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", parsed.ToString()));
  }
  if (parsed.unix_path.empty()) parsed.port = static_cast<uint16_t>(port);
  listener.address = parsed.ToString();
  return listener;
}

}  // namespace quire
