#ifndef QUIRE_COMMON_CLOCK_H_
#define QUIRE_COMMON_CLOCK_H_

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

// The machine's clock.
class SystemClock final : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
};

}  // namespace quire

#endif  // QUIRE_COMMON_CLOCK_H_
