#ifndef QUIRE_SCHEDULER_READINESS_H_
#define QUIRE_SCHEDULER_READINESS_H_

#include <functional>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace quire {

// Whether the server takes work: a group is ready, steps come to an end, and
// nobody asked it to drain. Whoever learns of a change sets it here, and it is
// published at once. Thread-safe.
class Readiness {
 public:
  // `publish` is called for every change, in order, one call at a time; the
  // first state is not ready and goes without saying. It must return at once
  // and not call back.
  explicit Readiness(std::function<void(bool ready)> publish);

  void SetGroupReady(bool ready);
  void SetStuck(bool stuck);
  // There is no way back.
  void SetDraining();

  bool ready() const;
  bool stuck() const;
  bool draining() const;

 private:
  bool Evaluate() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PublishChange(bool before) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::function<void(bool)> publish_;
  mutable absl::Mutex mutex_;
  bool group_ready_ ABSL_GUARDED_BY(mutex_) = false;
  bool stuck_ ABSL_GUARDED_BY(mutex_) = false;
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_READINESS_H_
