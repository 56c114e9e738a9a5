#ifndef QUIRE_SCHEDULER_SIM_VIRTUAL_CLOCK_H_
#define QUIRE_SCHEDULER_SIM_VIRTUAL_CLOCK_H_

#include "common/check.h"
#include "common/clock.h"

namespace quire {

// Time that passes only when a simulation says so. Counts from 1970. One
// thread.
class VirtualClock final : public Clock {
 public:
  absl::Time Now() const override { return absl::UnixEpoch() + elapsed_; }

  absl::Duration elapsed() const { return elapsed_; }
  // REQUIRES: not before elapsed().
  void AdvanceTo(absl::Duration elapsed) {
    QUIRE_CHECK(elapsed >= elapsed_);
    elapsed_ = elapsed;
  }

 private:
  absl::Duration elapsed_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_VIRTUAL_CLOCK_H_
