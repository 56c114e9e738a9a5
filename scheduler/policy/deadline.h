#ifndef QUIRE_SCHEDULER_POLICY_DEADLINE_H_
#define QUIRE_SCHEDULER_POLICY_DEADLINE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "scheduler/policy/work_rates.h"

namespace quire {

// What the group must at least do before a request can end.
struct LeastWork {
  // Of its prompt and of those that wait ahead of it, as far as nobody else
  // computes them.
  uint64_t prompt_rows = 0;
  // That each give it one token.
  uint32_t decode_steps = 0;
};

// How long the work takes at least. Optimistic on purpose: no pause, no
// preemption, those ahead only cost the rows of their prompts, and what nobody
// knows takes no time. So what misses its deadline by this measure misses it.
absl::Duration LeastTime(const LeastWork& work, const WorkRates& rates);

// The moment from which on a request with this work left misses `deadline`;
// before it, it may still be met. InfiniteFuture where there is none.
absl::Time LatestStart(absl::Time deadline, const LeastWork& work,
                       const WorkRates& rates);

// DEADLINE_EXCEEDED: how far both the deadline and the earliest end are from
// `now`.
absl::Status UnmeetableError(absl::Time now, absl::Time deadline,
                             const LeastWork& work, const WorkRates& rates);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_DEADLINE_H_
