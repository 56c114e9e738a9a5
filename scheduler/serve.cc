#include "scheduler/serve.h"

#include <sys/resource.h>

#include <csignal>
#include <ctime>
#include <memory>

#include "absl/time/time.h"
#include "common/lock_checks.h"
#include "common/log.h"
#include "scheduler/grpc_log.h"
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

// A file for every connection, so the process takes as many as it may have:
// without one it would lose a port (see grpc_log.h).
void RaiseFileLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int Serve(const ServerOptions& options) {
  LeaveLockChecksToTests();
  SetLogName("scheduler");
  WatchGrpcLog();
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
