#ifndef QUIRE_SCHEDULER_ENGINE_INBOX_H_
#define QUIRE_SCHEDULER_ENGINE_INBOX_H_

#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace quire {

// A queue from many threads to one. The consumer takes all there is with one
// swap, so a producer never waits for more than another's push. Several threads
// may take turns in being the consumer; one of them waits. Thread-safe.
template <typename Event>
class Inbox {
 public:
  void Push(Event event) {
    absl::MutexLock lock(&mutex_);
    events_.push_back(std::move(event));
    wake_ = true;
    changed_.Signal();
  }

  // Wakes nobody: the caller takes the event itself, or calls Wake.
  void Leave(Event event) {
    absl::MutexLock lock(&mutex_);
    events_.push_back(std::move(event));
  }

  void Wake() {
    absl::MutexLock lock(&mutex_);
    wake_ = true;
    changed_.Signal();
  }

  // Waits until there is an event, or was one pushed since the last wait, which
  // another thread may have taken; or Wake was called. At most for `limit`.
  void Wait(absl::Duration limit) {
    const absl::Time until = absl::Now() + limit;
    absl::MutexLock lock(&mutex_);
    while (events_.empty() && !wake_ &&
           !changed_.WaitWithDeadline(&mutex_, until)) {
    }
    wake_ = false;
  }

  // Replaces `events` by all there are, oldest first; its memory is reused.
  void TakeAll(std::vector<Event>& events) {
    events.clear();
    absl::MutexLock lock(&mutex_);
    events_.swap(events);
  }

 private:
  absl::Mutex mutex_;
  absl::CondVar changed_;
  bool wake_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Event> events_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_INBOX_H_
