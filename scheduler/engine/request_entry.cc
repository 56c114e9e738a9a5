#include "scheduler/engine/request_entry.h"

#include <algorithm>

#include "common/check.h"
#include "scheduler/engine/prefix_sharing.h"
#include "scheduler/engine/swapping.h"
#include "scheduler/memory/block_pool.h"
#include "scheduler/memory/capacity.h"

namespace quire {

RequestEntry::RequestEntry(RequestState* request, const Terms& terms,
                           Group* group)
    : request_(*request),
      terms_(terms),
      group_(*group),
      block_size_(group->shape().block_size),
      prefix_(FindPrefix(*request, *group)) {}

uint32_t RequestEntry::num_found() const {
  return static_cast<uint32_t>(prefix_.size()) * block_size_;
}

AdmissionMode RequestEntry::ModeOf(const Sequence& sequence) const {
  return ModeFor(terms_.admission, request_.num_preemptions(),
                 /*is_fork=*/&sequence != &request_.leader());
}

uint32_t RequestEntry::SlotsFor(const Sequence& sequence) const {
  return SlotsAtAdmission(ModeOf(sequence), request_.LengthsOf(sequence),
                          num_found() + terms_.step_rows);
}

uint64_t RequestEntry::BlocksToEnd() const {
  return BlocksAtEnd(request_.LengthsOf(request_.leader()),
                     request_.most_sequences(), block_size_);
}

AdmissionRequest RequestEntry::Describe() const {
  const uint64_t num_active = std::ranges::count_if(
      prefix_, [&](BlockId block) { return group_.pool().is_active(block); });
  return {.num_blocks = BlocksToEnter() - num_active,
          .was_preempted = request_.num_preemptions() > 0};
}

// Those of the prefix are among them.
uint64_t RequestEntry::BlocksToEnter() const {
  if (request_.swapped()) {
    return BlocksToSwapIn(
        request_, [&](const Sequence& s) { return SlotsFor(s); }, block_size_);
  }
  if (ModeOf(request_.leader()) == AdmissionMode::kWorstCase) {
    return BlocksToEnd();
  }
  uint64_t num_blocks = 0;
  for (const auto& sequence : request_.sequences()) {
    num_blocks += BlocksForSlots(SlotsFor(*sequence), block_size_) -
                  request_.SharedSlots(*sequence) / block_size_;
  }
  return num_blocks;
}

void RequestEntry::Enter(PendingSwaps& swaps) {
  if (request_.swapped()) {
    SwapIn(
        request_, prefix_, [&](const Sequence& s) { return SlotsFor(s); },
        group_, swaps);
  } else {
    EnterComputed();
  }
  const AdmissionMode mode = ModeOf(request_.leader());
  if (mode == AdmissionMode::kWorstCase) HoldToEnd();
  request_.OnAdmitted(mode, num_found());
}

void RequestEntry::EnterComputed() {
  Sequence& leader = request_.leader();
  BlockPool* const pool = &group_.pool();
  leader.Enter(pool, block_size_, SlotsFor(leader), prefix_);
  for (const auto& sequence : request_.sequences().subspan(1)) {
    const uint32_t num_slots = SlotsFor(*sequence);
    const uint32_t num_shared = request_.SharedSlots(*sequence);
    if (num_shared > 0) {
      sequence->EnterAsFork(&leader, num_shared, pool, block_size_, num_slots);
    } else {
      sequence->Enter(pool, block_size_, num_slots);
    }
  }
}

// The leader keeps the blocks of sequences that have not begun.
void RequestEntry::HoldToEnd() {
  Sequence& leader = request_.leader();
  uint64_t missing = BlocksToEnd();
  for (const auto& sequence : request_.sequences()) {
    missing -= std::min<uint64_t>(missing, sequence->num_blocks());
  }
  const auto num_blocks = leader.num_blocks() + static_cast<uint32_t>(missing);
  QUIRE_CHECK(leader.table().Reserve(num_blocks * block_size_));
}

}  // namespace quire
