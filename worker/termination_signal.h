#ifndef QUIRE_WORKER_TERMINATION_SIGNAL_H_
#define QUIRE_WORKER_TERMINATION_SIGNAL_H_

#include <atomic>
#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace quire {

// Waits for SIGTERM and SIGINT on a thread of its own. The first signal calls
// the handler; where there is none yet it ends the process with code 0, because
// there is nothing to wind up. The second ends the process at once. Works for
// process 1 of a container too, which signals do not end by default.
//
// One for a process, made before any other thread, so that all threads inherit
// that the signals are blocked.
class TerminationSignal {
 public:
  TerminationSignal();
  // No handler runs afterwards.
  ~TerminationSignal();
  TerminationSignal(const TerminationSignal&) = delete;
  TerminationSignal& operator=(const TerminationSignal&) = delete;

  // `handler` is called on another thread, at most once. Null: none.
  void SetHandler(std::function<void()> handler);

 private:
  void Wait();

  absl::Mutex mutex_;
  std::function<void()> handler_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_TERMINATION_SIGNAL_H_
