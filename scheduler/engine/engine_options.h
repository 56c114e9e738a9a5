#ifndef QUIRE_SCHEDULER_ENGINE_ENGINE_OPTIONS_H_
#define QUIRE_SCHEDULER_ENGINE_ENGINE_OPTIONS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "scheduler/policy/admission_mode.h"
#include "scheduler/policy/preemption.h"

namespace quire {

struct EngineOptions {
  // Rows of a step; bounds the time of one, and with it the pause that a long
  // prompt causes to others. At most the group's own limit is used.
  uint32_t max_step_tokens = 512;
  // More of them share a step's cost, and the pool. Those that run share every
  // step, so there are never more than a step has rows.
  uint32_t max_running_sequences = 256;
  // Plans in flight, 1 or 2. 2 plans step n + 1 while n executes; more would
  // hide nothing more, and let a preempted request return before its last
  // result has.
  uint32_t pipeline_depth = 2;
  // Tokens that are guessed from a sequence's own text and computed with the
  // next one where a step has few rows, at most. 0: none. Reason to raise:
  // texts that repeat much; to switch off: steps that take longer for each row.
  uint32_t draft_tokens = 7;
  // Beyond either: RESOURCE_EXHAUSTED. Tokens are those of prompts.
  uint32_t max_waiting_requests = 1024;
  uint64_t max_waiting_tokens = 1 << 20;
  // How much earlier than a normal request one of high priority counts as
  // having arrived, and how much later one of low priority. At least 0: for so
  // long a newcomer may pass one that waits. See policy/order.h.
  absl::Duration priority_head_start = absl::Seconds(30);
  // How much memory a request must find before it starts.
  AdmissionMode admission = AdmissionMode::kFullPrompt;
  // What becomes of the tokens of a preempted request. Host blocks are there as
  // far as the workers offer some.
  PreemptionMode preemption = PreemptionMode::kAuto;
  // Whether blocks are kept after use and found again by equal prompts.
  bool prefix_cache = true;
  // Between two checks of the accounts of blocks, which report what is wrong;
  // each looks at every block. InfiniteDuration: never.
  absl::Duration consistency_interval = absl::Seconds(10);
  // For tests: the check runs after every step, and a violation ends the
  // process.
  bool check_consistency_every_step = false;
  // Not 0: free blocks start in random order, to show that placement is
  // invisible.
  uint64_t shuffle_free_blocks_seed = 0;

  // INVALID_ARGUMENT names the option, its value and the limit.
  absl::Status Validate() const;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_ENGINE_OPTIONS_H_
