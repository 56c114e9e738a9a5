#ifndef QUIRE_SCHEDULER_POLICY_ADMISSION_H_
#define QUIRE_SCHEDULER_POLICY_ADMISSION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "scheduler/policy/admission_mode.h"

namespace quire {

// How long a sequence is that is to be admitted, and may become.
struct SequenceLengths {
  uint32_t prompt_tokens = 0;  // At least 1.
  uint32_t max_tokens = 0;     // At least 1.
  uint32_t known_tokens = 0;   // Prompt and what is generated so far.
};

// Slots that are reserved when the sequence is admitted. kFullPrompt: all known
// tokens and the first new one, so a sequence that runs needs no further block
// until it has a new token, and a started prompt never waits for memory
// half-way. kFirstChunk: at most `max_first_slots` of these.
uint32_t SlotsAtAdmission(AdmissionMode mode, const SequenceLengths& sequence,
                          uint32_t max_first_slots);

// Times that a request is preempted at most.
inline constexpr uint32_t kMaxPreemptions = 4;

// How a sequence is admitted where `mode` is the rule. `num_preemptions`: of
// its request, so far. After one it returns with all that is known, or it might
// never gain a token; after the last one with all that it may ever have, so
// that it need not be preempted again. A fork needs only what it writes itself,
// so it has that at once.
AdmissionMode ModeFor(AdmissionMode mode, uint32_t num_preemptions,
                      bool is_fork);

// A request that asks to be admitted, all its sequences together.
struct AdmissionRequest {
  // To be taken from the pool: a block that its sequences share counts once,
  // one that others use already not at all.
  uint64_t num_blocks = 0;
  bool was_preempted = false;
};

// The pool that it asks for room in, and who else will.
struct AdmissionPool {
  uint32_t num_available = 0;
  uint32_t num_running = 0;  // Sequences.
};

// Whether it is admitted now; else it waits for running requests to give back
// blocks. One that was preempted comes back only where one more block is
// available for each running sequence: with less, the next block that one of
// them needs would preempt it again. Nothing runs: it comes back at once.
bool CanAdmit(const AdmissionRequest& request, const AdmissionPool& pool);

// Blocks that `num_sequences` sequences of one prompt hold at their end, when
// they share nothing but the blocks that the prompt fills.
uint64_t BlocksAtEnd(const SequenceLengths& sequence, uint32_t num_sequences,
                     uint32_t block_size);

// INVALID_ARGUMENT, with its numbers and the pool's: a request of that many
// sequences could not come to its end even if it were alone.
absl::Status CheckFitsPool(const SequenceLengths& sequence,
                           uint32_t num_sequences, uint32_t block_size,
                           uint32_t num_blocks);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_ADMISSION_H_
