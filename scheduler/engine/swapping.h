#ifndef QUIRE_SCHEDULER_ENGINE_SWAPPING_H_
#define QUIRE_SCHEDULER_ENGINE_SWAPPING_H_

#include <cstdint>
#include <functional>
#include <span>

#include "common/ids.h"
#include "scheduler/engine/group.h"
#include "scheduler/engine/pending_swaps.h"
#include "scheduler/engine/request_state.h"
#include "scheduler/policy/preemption.h"

namespace quire {

// How requests go to host blocks and come back, all sequences of one together.
// A host block stands for a block, not for an entry: what sequences shared they
// share there, and again when they are back. Rows in flight are no obstacle to
// leaving, since the ranks have written them before they execute the next plan.
// Engine thread only.

// What preempting `victim` would cost. Blocks that other requests hold too are
// likely to be found again: their rows do not count. REQUIRES: it runs.
VictimCost CostOf(const RequestState& victim, const Group& group);

// All slots planned go out: the request is swapped once it has left. REQUIRES:
// ChoosePreemption says so.
void SwapOut(RequestState& victim, Group& group, PendingSwaps& swaps);

// How many slots a sequence is to have when it is back: at least one more than
// were swapped.
using SlotsForSequence = std::function<uint32_t(const Sequence&)>;

// Blocks that its sequences hold when they are back, those that are found
// written included.
uint64_t BlocksToSwapIn(const RequestState& request,
                        const SlotsForSequence& slots_for, uint32_t block_size);

// The sequences of a request become resident where they left off, in new blocks
// and those of `prefix`: written ones that begin the leader's tokens, within
// its swapped slots. REQUIRES: it is swapped, without rows in flight, and the
// pool has the blocks.
void SwapIn(RequestState& request, std::span<const BlockId> prefix,
            const SlotsForSequence& slots_for, Group& group,
            PendingSwaps& swaps);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_SWAPPING_H_
