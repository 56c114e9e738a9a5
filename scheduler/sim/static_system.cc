#include "scheduler/sim/static_system.h"

#include <algorithm>
#include <vector>

namespace quire {

StaticSystem::StaticSystem(uint32_t context_length, uint64_t num_slots,
                           const CostModel* cost)
    : SteppedSystem(num_slots, cost), context_length_(context_length) {}

bool StaticSystem::CanEverServe(const Member& member) const {
  return member.final_slots() <= context_length_ &&
         context_length_ <= num_slots();
}

void StaticSystem::Admit() {
  if (!batch().empty()) return;
  padded_prompt_ = 0;
  num_steps_ = 0;
  const uint64_t largest_batch = num_slots() / context_length_;
  while (batch().size() < largest_batch && !waiting().empty()) {
    Member member = waiting().front();
    waiting().pop_front();
    member.num_reserved = context_length_;
    padded_prompt_ = std::max(padded_prompt_, member.prompt_tokens);
    batch().push_back(member);
  }
}

// Those that have ended are computed on: a batch has one shape.
StepWork StaticSystem::NextWork() const {
  StepWork work;
  for (size_t i = 0; i < batch().size(); ++i) {
    if (num_steps_ == 0) {
      work.AddRun(/*position=*/0, padded_prompt_);
    } else {
      work.AddRun(padded_prompt_ + num_steps_ - 1, /*num_rows=*/1);
    }
  }
  return work;
}

void StaticSystem::Retire() {
  ++num_steps_;
  if (!std::ranges::all_of(batch(), &Member::finished)) return;
  for (const Member& member : batch()) Leave(member);
  batch().clear();
}

uint64_t StaticSystem::num_allocated() const {
  return batch().size() * context_length_;
}

}  // namespace quire
