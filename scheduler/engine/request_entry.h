#ifndef QUIRE_SCHEDULER_ENGINE_REQUEST_ENTRY_H_
#define QUIRE_SCHEDULER_ENGINE_REQUEST_ENTRY_H_

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "scheduler/engine/group.h"
#include "scheduler/engine/pending_swaps.h"
#include "scheduler/engine/request_state.h"
#include "scheduler/policy/admission.h"

namespace quire {

// A waiting request on its way in: the blocks that are found written for it,
// those that it needs beside them, and the taking of all. A prefix is found
// when the object is made, and holds until a block is taken from the pool.
// Engine thread only.
class RequestEntry {
 public:
  struct Terms {
    AdmissionMode admission = AdmissionMode::kFullPrompt;
    uint32_t step_rows = 0;  // At most, in one step.
  };
  // Both must outlive it.
  RequestEntry(RequestState* request, const Terms& terms, Group* group);

  // Slots of the leader that are found written in the KV cache.
  uint32_t num_found() const;
  // What policy/admission decides by.
  AdmissionRequest Describe() const;
  // The sequences become resident, or awaiting their leader. What must come
  // back from host blocks is added to `swaps`. REQUIRES: the request is parked,
  // no rows of it are in flight and it can be admitted now.
  void Enter(PendingSwaps& swaps);

 private:
  AdmissionMode ModeOf(const Sequence& sequence) const;
  uint32_t SlotsFor(const Sequence& sequence) const;
  uint64_t BlocksToEnd() const;
  uint64_t BlocksToEnter() const;
  void EnterComputed();
  void HoldToEnd();

  RequestState& request_;
  const Terms terms_;
  Group& group_;
  const uint32_t block_size_;
  const std::vector<BlockId> prefix_;  // Written, of the leader's first tokens.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_REQUEST_ENTRY_H_
