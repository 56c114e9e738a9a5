#ifndef QUIRE_SCHEDULER_SIM_CPU_CLOCK_H_
#define QUIRE_SCHEDULER_SIM_CPU_CLOCK_H_

#include <ctime>

#include "common/clock.h"

namespace quire {

// The processor's time that the calling thread has taken, so that what is
// measured does not depend on what else the machine does. Counts from 1970.
class CpuClock final : public Clock {
 public:
  absl::Time Now() const override {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return absl::TimeFromTimespec(time);
  }
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_CPU_CLOCK_H_
