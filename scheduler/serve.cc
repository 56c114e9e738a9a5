#include "scheduler/serve.h"

#include <sys/resource.h>

#include <csignal>
#include <ctime>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/log.h"
#include "grpc/support/log.h"
#include "scheduler/server.h"

namespace quire {
namespace {

constexpr absl::Duration kSignalCheckInterval = absl::Milliseconds(50);

// Blocked in this thread and in all that it will start, so that only
// SignalArrives takes them.
sigset_t BlockEndSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

bool SignalArrives(const sigset_t& signals, absl::Duration limit) {
  const timespec time = absl::ToTimespec(limit);
  return sigtimedwait(&signals, nullptr, &time) > 0;
}

// A file for every connection: gRPC closes a listener for good when it cannot
// accept one, so the process takes as many as it may have.
void RaiseFileLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void LogGrpcError(gpr_log_func_args* args) {
  if (args->severity == GPR_LOG_SEVERITY_ERROR) {
    LogWarning(absl::StrCat("gRPC: ", args->message));
  }
}

}  // namespace

int Serve(const ServerOptions& options) {
  SetLogName("scheduler");
  gpr_set_log_function(LogGrpcError);
  RaiseFileLimit();
  const sigset_t signals = BlockEndSignals();
  auto server = Server::Start(options);
  if (!server.ok()) {
    LogError(std::string(server.status().message()));
    return 1;
  }
  while (!SignalArrives(signals, absl::Hours(1))) {
  }
  (*server)->Drain();
  while (!(*server)->WaitUntilDrained(kSignalCheckInterval)) {
    if (!SignalArrives(signals, absl::ZeroDuration())) continue;
    LogWarning("a second signal: ending at once");
    break;
  }
  // From here on a signal ends the process by itself: connections that dawdle
  // can make the destructor wait.
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  server->reset();
  LogInfo("ended");
  return 0;
}

}  // namespace quire
