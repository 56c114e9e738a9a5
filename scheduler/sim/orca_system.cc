#include "scheduler/sim/orca_system.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

namespace quire {

OrcaSystem::OrcaSystem(Reservation reservation, uint32_t context_length,
                       uint64_t num_slots, const CostModel* cost)
    : SteppedSystem(num_slots, cost),
      reservation_(reservation),
      context_length_(context_length),
      slots_(num_slots) {}

uint64_t OrcaSystem::SlotsFor(const Member& member) const {
  switch (reservation_) {
    case Reservation::kMax:
      return context_length_;
    case Reservation::kPow2:
      return member.prompt_tokens + std::bit_ceil(member.output_tokens);
    case Reservation::kOracle:
      return member.final_slots();
  }
  return 0;
}

bool OrcaSystem::CanEverServe(const Member& member) const {
  return member.final_slots() <= SlotsFor(member) &&
         slots_.CanEverAllocate(SlotsFor(member));
}

void OrcaSystem::Admit() {
  while (!waiting().empty()) {
    Member& head = waiting().front();
    head.num_reserved = SlotsFor(head);
    const std::optional<uint64_t> first = slots_.Allocate(head.num_reserved);
    if (!first.has_value()) return;
    head.first_slot = *first;
    batch().push_back(head);
    waiting().pop_front();
  }
}

StepWork OrcaSystem::NextWork() const {
  StepWork work;
  for (const Member& member : batch()) {
    if (member.num_generated == 0) {
      work.AddRun(/*position=*/0, member.prompt_tokens);
    } else {
      work.AddRun(member.filled_slots() - 1, /*num_rows=*/1);
    }
  }
  return work;
}

void OrcaSystem::Retire() {
  std::erase_if(batch(), [this](const Member& member) {
    if (!member.finished()) return false;
    slots_.Free(member.first_slot, member.num_reserved);
    Leave(member);
    return true;
  });
}

}  // namespace quire
