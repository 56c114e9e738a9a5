#ifndef QUIRE_TESTS_TESTING_PUPPETS_MANUAL_CLOCK_H_
#define QUIRE_TESTS_TESTING_PUPPETS_MANUAL_CLOCK_H_

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"

namespace quire {

// A clock that moves only when it is told to. Thread-safe.
class ManualClock final : public Clock {
 public:
  absl::Time Now() const override {
    absl::MutexLock lock(&mutex_);
    return now_;
  }
  void Advance(absl::Duration by) {
    absl::MutexLock lock(&mutex_);
    now_ += by;
  }

 private:
  mutable absl::Mutex mutex_;
  absl::Time now_ ABSL_GUARDED_BY(mutex_) = absl::FromUnixSeconds(1'000'000);
};

}  // namespace quire

#endif  // QUIRE_TESTS_TESTING_PUPPETS_MANUAL_CLOCK_H_
