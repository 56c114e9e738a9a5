#ifndef QUIRE_SCHEDULER_SIM_ORCA_SYSTEM_H_
#define QUIRE_SCHEDULER_SIM_ORCA_SYSTEM_H_

#include <cstdint>

#include "scheduler/sim/buddy_allocator.h"
#include "scheduler/sim/cost_model.h"
#include "scheduler/sim/stepped_system.h"

namespace quire {

// How many slots a sequence is given, before anybody knows how long it gets.
enum class Reservation {
  kMax,     // The context's length.
  kPow2,    // The prompt, and the output's length up to a power of two.
  kOracle,  // What it will use, as if that were known.
};

// Iteration-level scheduling over contiguous memory (Yu et al., "Orca", 2022):
// between two steps those that are finished leave and those at the head of the
// queue join, first come first served, as soon as their range can be had.
class OrcaSystem final : public SteppedSystem {
 public:
  // `cost` must outlive the system.
  OrcaSystem(Reservation reservation, uint32_t context_length,
             uint64_t num_slots, const CostModel* cost);

 private:
  bool CanEverServe(const Member& member) const override;
  void Admit() override;
  StepWork NextWork() const override;
  void Retire() override;
  uint64_t num_allocated() const override { return slots_.num_allocated(); }

  uint64_t SlotsFor(const Member& member) const;

  const Reservation reservation_;
  const uint64_t context_length_;
  BuddyAllocator slots_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_ORCA_SYSTEM_H_
