#ifndef QUIRE_SCHEDULER_POLICY_ADMISSION_H_
#define QUIRE_SCHEDULER_POLICY_ADMISSION_H_

#include <cstdint>

#include "absl/status/status.h"

namespace quire {

// Of the request that is asked about.
struct AdmissionRequest {
  uint32_t prompt_tokens = 0;  // At least 1.
  uint32_t max_tokens = 0;     // At least 1.
  uint32_t known_tokens = 0;   // Prompt and what is generated so far.
  bool was_preempted = false;
};

// Of the pool that it asks for room in.
struct AdmissionPool {
  uint32_t block_size = 0;
  uint32_t num_blocks = 0;
  uint32_t num_free = 0;
  uint32_t num_running = 0;  // Requests.
};

// Slots that are reserved when the request is admitted: all known tokens and
// the first new one. So a sequence that runs needs no further block until it
// has a new token, and a started prompt never waits for memory half-way.
uint32_t SlotsAtAdmission(const AdmissionRequest& request);

enum class Admission {
  kNow,    // What SlotsAtAdmission says is free.
  kLater,  // Not yet: running requests hold it.
  kNever,  // Prompt and max_tokens do not fit the whole pool.
};

// A request that was preempted comes back only where one more block is free for
// each running request: with less, the next block that one of them needs would
// preempt it again. Nothing runs: it comes back at once.
Admission DecideAdmission(const AdmissionRequest& request,
                          const AdmissionPool& pool);

// Why a request is kNever: INVALID_ARGUMENT with its numbers and the pool's.
absl::Status NeverFitsError(const AdmissionRequest& request,
                            const AdmissionPool& pool);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_ADMISSION_H_
