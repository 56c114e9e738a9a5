#ifndef QUIRE_SCHEDULER_POLICY_PREEMPTION_H_
#define QUIRE_SCHEDULER_POLICY_PREEMPTION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quire {

// Of a running request.
struct PreemptionCandidate {
  // Whether it holds the blocks to its checkpoint and is on the way there. The
  // checkpoint: each of its sequences has gained a token since the request was
  // last admitted.
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
std::vector<size_t> ChooseVictims(std::span<const PreemptionCandidate> running,
                                  size_t needy, uint64_t num_missing);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_PREEMPTION_H_
