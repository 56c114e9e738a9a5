#include "worker/termination_signal.h"

#include <pthread.h>
#include <signal.h>

#include <cstdlib>
#include <utility>

#include "common/log.h"

namespace quire {
namespace {

sigset_t TerminationSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

TerminationSignal::TerminationSignal() {
  const sigset_t set = TerminationSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { Wait(); });
}

TerminationSignal::~TerminationSignal() {
  is_over_ = true;
  // Wakes the thread alone; it sees that this one is not meant. The signal is
  // blocked, so it ends nothing.
  // NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread)
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

void TerminationSignal::SetHandler(std::function<void()> handler) {
  absl::MutexLock lock(&mutex_);
  handler_ = std::move(handler);
}

void TerminationSignal::Wait() {
  const sigset_t set = TerminationSignals();
  int signal = 0;
  for (bool is_first = true;; is_first = false) {
    if (sigwait(&set, &signal) != 0 || is_over_) return;
    if (!is_first) std::_Exit(128 + signal);
    absl::MutexLock lock(&mutex_);
    if (handler_ == nullptr) std::_Exit(0);
    LogInfo(signal == SIGTERM ? "SIGTERM: ending" : "SIGINT: ending");
    handler_();
  }
}

}  // namespace quire
