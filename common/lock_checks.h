#ifndef QUIRE_COMMON_LOCK_CHECKS_H_
#define QUIRE_COMMON_LOCK_CHECKS_H_

#include "absl/synchronization/mutex.h"

namespace quire {

// Debian builds abseil with its search for deadlocks, in which every lock and
// every end of a mutex takes part, gRPC's too, under one lock for the whole
// process. A program that serves leaves the search to the tests: called first.
inline void LeaveLockChecksToTests() {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

}  // namespace quire

#endif  // QUIRE_COMMON_LOCK_CHECKS_H_
