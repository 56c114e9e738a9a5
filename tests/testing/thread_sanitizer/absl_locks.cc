// The distribution's abseil is not built for the thread sanitizer, so its locks
// order nothing in the sanitizer's eyes and everything they guard looks like a
// race. Under the sanitizer this file stands before abseil's own functions,
// calls them, and tells the sanitizer what they order. Elsewhere it is empty.
//
// Not covered: conditions (Mutex::Await, LockWhen), which abseil evaluates
// where it cannot be seen. A test under the sanitizer uses CondVar.

#ifdef __SANITIZE_THREAD__

#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "common/check.h"

namespace {

// Abseil's own function of this (mangled) name.
template <typename Function>
Function* Original(const char* name) {
  void* const symbol = dlsym(RTLD_NEXT, name);
  QUIRE_CHECK(symbol != nullptr);
  return reinterpret_cast<Function*>(symbol);
}

}  // namespace

namespace absl {
inline namespace debian3 {

void Mutex::Lock() {
  static auto* const lock =
      Original<void(Mutex*)>("_ZN4absl7debian35Mutex4LockEv");
  lock(this);
  __tsan_acquire(this);
}

void Mutex::Unlock() {
  static auto* const unlock =
      Original<void(Mutex*)>("_ZN4absl7debian35Mutex6UnlockEv");
  __tsan_release(this);
  unlock(this);
}

void CondVar::Wait(Mutex* mutex) {
  static auto* const wait = Original<void(CondVar*, Mutex*)>(
      "_ZN4absl7debian37CondVar4WaitEPNS0_5MutexE");
  __tsan_release(mutex);
  wait(this, mutex);
  __tsan_acquire(mutex);
}

bool CondVar::WaitWithDeadline(Mutex* mutex, Time deadline) {
  static auto* const wait = Original<bool(CondVar*, Mutex*, Time)>(
      "_ZN4absl7debian37CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE");
  __tsan_release(mutex);
  const bool expired = wait(this, mutex, deadline);
  __tsan_acquire(mutex);
  return expired;
}

void Notification::Notify() {
  static auto* const notify =
      Original<void(Notification*)>("_ZN4absl7debian312Notification6NotifyEv");
  __tsan_release(this);
  notify(this);
}

void Notification::WaitForNotification() const {
  static auto* const wait = Original<void(const Notification*)>(
      "_ZNK4absl7debian312Notification19WaitForNotificationEv");
  wait(this);
  __tsan_acquire(const_cast<Notification*>(this));
}

}  // namespace debian3
}  // namespace absl

#endif  // __SANITIZE_THREAD__
