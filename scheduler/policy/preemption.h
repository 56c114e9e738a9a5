#ifndef QUIRE_SCHEDULER_POLICY_PREEMPTION_H_
#define QUIRE_SCHEDULER_POLICY_PREEMPTION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "scheduler/policy/work_rates.h"

namespace quire {

// A running request, as one that might be preempted.
struct PreemptionCandidate {
  // Whether it holds the blocks to its checkpoint and is on the way there. The
  // checkpoint: each of its sequences has gained a token since the request was
  // last admitted; of one that was admitted for the worst case, its end.
  bool is_protected = false;
  // What it gives back at most: a block that others hold too stays in use.
  uint64_t num_blocks = 0;
};

// Which of the running requests, given in the order of service, give up their
// blocks so that `running[needy]` gets the `num_missing` that it needs: of
// those behind it that are not protected the last ones, as few as can be
// enough, the last one first. Empty: all of them together hold too few, and
// none is preempted in vain; the needy one waits in place, keeping its blocks,
// for what those ahead of it give back.
//
// There is neither dead-lock nor live-lock:
//  * A protected request needs no block, so it gets to its checkpoint. One that
//    was preempted is always protected when it returns: each such admission
//    yields at least one token.
//  * The first in order is never chosen. Where it waits, those behind it are on
//    the way to their checkpoints and can be chosen then. All of them together
//    hold enough, for without them it finds all blocks available, and admission
//    has made sure that these suffice to its end.
//  * Nobody is chosen more than kMaxPreemptions times: who returns from the
//    last of them is admitted for the worst case (see ModeFor in admission.h).
std::vector<size_t> ChooseVictims(std::span<const PreemptionCandidate> running,
                                  size_t needy, uint64_t num_missing);

// What becomes of the tokens that a victim has in the KV cache.
enum class Preemption {
  kRecompute,  // They are computed again, as far as they are not found then.
  kSwap,       // Their blocks are swapped out to host blocks, and in again.
};

// Which of the two the operator allows.
enum class PreemptionMode {
  kAuto,  // The cheaper one, as far as that is known.
  kRecompute,
  kSwap,  // Where there is room.
};

// By name, as a flag of abseil's: "auto", "recompute", "swap".
bool AbslParseFlag(absl::string_view text, PreemptionMode* mode,
                   std::string* error);
std::string AbslUnparseFlag(PreemptionMode mode);

// What it would cost to bring a victim back, all its sequences together.
struct VictimCost {
  uint64_t num_rows = 0;    // To be computed again.
  uint64_t num_blocks = 0;  // That hold tokens, each counted once.
  // False while a sequence awaits its leader, and where the request is to
  // return for the worst case, which lays its blocks out anew.
  bool can_be_swapped = true;
};

// The rows of one are weighed against moving the blocks of the other twice. All
// requests that run wait for either, so it is the sum of time that counts. What
// was never measured is tried, swapping first. Swapped is only what
// `num_free_host_blocks` have room for.
Preemption ChoosePreemption(PreemptionMode mode, const VictimCost& victim,
                            uint32_t num_free_host_blocks,
                            const WorkRates& rates);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_PREEMPTION_H_
