#include "client/server_connection.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/message_limits.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"

namespace quire {
namespace {

constexpr int kKeepaliveMs = 10'000;

grpc::ChannelArguments ChannelOptions() {
  grpc::ChannelArguments options;
  options.SetMaxReceiveMessageSize(kMaxMessageBytes);
  options.SetMaxSendMessageSize(kMaxMessageBytes);
  // A stream may be silent for long; a server that is gone is noticed.
  options.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  options.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // A proxy for the web is not a way to a server of one's own.
  options.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return options;
}

std::string RetryHint(const grpc::ClientContext& context) {
  const auto& trailers = context.GetServerTrailingMetadata();
  const auto hint = trailers.find("retry-after-ms");
  if (hint == trailers.end()) return "";
  const absl::string_view ms(hint->second.data(), hint->second.size());
  return absl::StrCat("; try again in ", ms, " ms");
}

// Whether gRPC says that there was nobody to talk to.
bool IsFailedDial(const std::string& message) {
  return absl::StartsWith(message, "failed to connect to all addresses") ||
         absl::StartsWith(message, "DNS resolution failed");
}

// Where the reason of a failed dial has a likely cause.
std::string HintOf(const std::string& reason) {
  return reason == "Connection refused"
             ? "; is the server up? deploy/local/up starts one"
             : "";
}

// Whether what answers speaks gRPC but not this API, such as a scheduler's port
// for workers.
bool IsOtherService(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNIMPLEMENTED &&
         status.error_message().empty();
}

// Whether the client's own gRPC ended the call: a server that does has a reason
// to give.
bool IsOwnDeadline(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED &&
         (status.error_message().empty() ||
          status.error_message() == "Deadline Exceeded");
}

// gRPC reports the last of what it tried, with the reason behind the last
// colon: "...; last error: UNKNOWN: Failed to connect to remote host:
// Connection refused".
std::string ReasonOfFailedDial(const std::string& message) {
  const size_t colon = message.rfind(": ");
  return colon == std::string::npos ? message : message.substr(colon + 2);
}

}  // namespace

ServerConnection::ServerConnection(std::string address)
    : address_(std::move(address)),
      stub_(quire::v1::Quire::NewStub(grpc::CreateCustomChannel(
          address_, grpc::InsecureChannelCredentials(), ChannelOptions()))) {}

absl::Status ServerConnection::ToStatus(
    const grpc::Status& status, const grpc::ClientContext& context) const {
  if (status.ok()) return absl::OkStatus();
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  const std::string name = absl::StatusCodeToString(code);
  const std::string& message = status.error_message();
  if (IsFailedDial(message)) {
    const std::string reason = ReasonOfFailedDial(message);
    return {code, absl::StrCat("cannot connect to ", address_, ": ", reason,
                               " (", name, ")", HintOf(reason))};
  }
  if (IsOwnDeadline(status)) {
    return {code, absl::StrCat("the call to ", address_,
                               " took longer than its deadline (", name, ")")};
  }
  if (IsOtherService(status)) {
    return {code, absl::StrCat(address_,
                               " is no API port of Quire: it answers ", name)};
  }
  return {code, absl::StrCat(address_, " answers ", name, ": ", message,
                             RetryHint(context))};
}

void LimitCall(grpc::ClientContext& context, absl::Duration limit) {
  if (limit == absl::InfiniteDuration()) return;
  context.set_deadline(absl::ToChronoTime(absl::Now() + limit));
}

}  // namespace quire
