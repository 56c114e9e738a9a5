#include "client/interrupts.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <utility>

namespace quire {
namespace {

sigset_t InterruptSet() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

// Takes what has come, but was not waited for.
void DiscardPending(const sigset_t& set) {
  constexpr timespec kNow = {};
  while (sigtimedwait(&set, nullptr, &kNow) > 0) {
  }
}

}  // namespace

Interrupts::Interrupts() {
  const sigset_t set = InterruptSet();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  waiter_ = std::thread([this] { Wait(); });
}

Interrupts::~Interrupts() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  pthread_kill(waiter_.native_handle(), SIGINT);
  waiter_.join();
  const sigset_t set = InterruptSet();
  DiscardPending(set);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupts::SetHandler(std::function<void()> handler) {
  absl::MutexLock lock(&mutex_);
  handler_ = std::move(handler);
}

void Interrupts::Wait() {
  const sigset_t set = InterruptSet();
  int signal_number = 0;
  while (sigwait(&set, &signal_number) == 0) {
    absl::MutexLock lock(&mutex_);
    if (stopping_) return;
    if (handler_) handler_();
  }
}

}  // namespace quire
