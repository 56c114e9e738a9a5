#ifndef QUIRE_COMMON_CLOCK_H_
#define QUIRE_COMMON_CLOCK_H_

#include <chrono>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace quire {

// Where time comes from; injected so that tests and simulation own it.
// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() const = 0;
};

// The machine's clock as it stood when the object was made, and from there the
// time that has passed: it does not jump when somebody sets the machine's, so
// that no time-out or duration is wrong.
class SystemClock final : public Clock {
 public:
  absl::Time Now() const override {
    return start_ +
           absl::FromChrono(std::chrono::steady_clock::now() - steady_start_);
  }

 private:
  const absl::Time start_ = absl::Now();
  const std::chrono::steady_clock::time_point steady_start_ =
      std::chrono::steady_clock::now();
};

}  // namespace quire

#endif  // QUIRE_COMMON_CLOCK_H_
