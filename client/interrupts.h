#ifndef QUIRE_CLIENT_INTERRUPTS_H_
#define QUIRE_CLIENT_INTERRUPTS_H_

#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace quire {

// Turns Ctrl-C (SIGINT) into a call, for as long as it lives. Make it before
// any other thread: threads inherit that they leave the signal alone, and a
// thread of its own waits for it. Thread-safe.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // What a Ctrl-C does from now on; null: nothing. Called on the waiting
  // thread; once this returns, the former handler is neither running nor called
  // again.
  void SetHandler(std::function<void()> handler);

 private:
  void Wait();

  absl::Mutex mutex_;
  std::function<void()> handler_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread waiter_;
};

}  // namespace quire

#endif  // QUIRE_CLIENT_INTERRUPTS_H_
