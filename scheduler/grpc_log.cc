#include "scheduler/grpc_log.h"

#include <atomic>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "grpc/support/log.h"

namespace quire {
namespace {

// Follows this: the reason, and the end of the listener.
constexpr std::string_view kListenerLost = "Failed accept4";

std::atomic<bool> listener_is_lost = false;

void OnMessage(gpr_log_func_args* args) {
  if (args->severity != GPR_LOG_SEVERITY_ERROR) return;
  if (std::string_view(args->message).starts_with(kListenerLost)) {
    listener_is_lost = true;
  }
  LogWarning(absl::StrCat("gRPC: ", args->message));
}

}  // namespace

void WatchGrpcLog() { gpr_set_log_function(OnMessage); }

absl::Status CheckGrpcListeners() {
  if (!listener_is_lost) return absl::OkStatus();
  return absl::InternalError(
      "a port takes no more connections: gRPC could not accept one and closed "
      "it");
}

}  // namespace quire
