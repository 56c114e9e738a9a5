#ifndef QUIRE_SCHEDULER_POLICY_PREEMPTION_H_
#define QUIRE_SCHEDULER_POLICY_PREEMPTION_H_

#include <cstddef>
#include <optional>
#include <span>

namespace quire {

// Of a running request.
struct PreemptionCandidate {
  // Whether it holds the blocks to its checkpoint and is on the way there. The
  // checkpoint: each of its sequences has gained a token since the request was
  // last admitted.
  bool is_protected = false;
};

// Which of the running requests, given in the order of service, gives up its
// blocks so that `running[needy]` can go on: the last one behind it that is not
// protected. nullopt: none; the needy one waits in place, keeping its blocks,
// for what those ahead of it give back.
//
// There is neither dead-lock nor live-lock:
//  * A protected request needs no block, so it gets to its checkpoint. One that
//    was preempted is always protected when it returns: each such admission
//    yields at least one token.
//  * The first in order is never chosen. Where it waits, those behind it are on
//    the way to their checkpoints and can be chosen then. Alone, it finds all
//    blocks available, and admission has made sure that these suffice to its
//    end.
std::optional<size_t> ChooseVictim(std::span<const PreemptionCandidate> running,
                                   size_t needy);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_PREEMPTION_H_
