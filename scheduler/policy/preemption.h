#ifndef QUIRE_SCHEDULER_POLICY_PREEMPTION_H_
#define QUIRE_SCHEDULER_POLICY_PREEMPTION_H_

#include <cstddef>
#include <optional>
#include <span>

namespace quire {

// Of a running request.
struct PreemptionCandidate {
  // Whether it has gained a token since it was last admitted.
  bool reached_checkpoint = false;
};

// Which of the running requests, given in the order of service, gives up its
// blocks so that `running[needy]` can go on: the last one behind it that has
// reached its checkpoint. nullopt: none; the needy one waits in place, keeping
// its blocks, for what those ahead of it give back.
//
// There is neither dead-lock nor live-lock:
//  * A request on the way to its checkpoint needs no block (SlotsAtAdmission),
//    so it gets there; each admission yields at least one token.
//  * The first in order is never chosen. Where it waits, those behind it are on
//    the way to their checkpoints and can be chosen then. Alone, it finds all
//    blocks free, and admission has made sure that these suffice to its end.
std::optional<size_t> ChooseVictim(std::span<const PreemptionCandidate> running,
                                   size_t needy);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_PREEMPTION_H_
