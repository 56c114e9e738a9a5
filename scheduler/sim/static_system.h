#ifndef QUIRE_SCHEDULER_SIM_STATIC_SYSTEM_H_
#define QUIRE_SCHEDULER_SIM_STATIC_SYSTEM_H_

#include <cstdint>

#include "scheduler/sim/cost_model.h"
#include "scheduler/sim/stepped_system.h"

namespace quire {

// Request-level batches, as a plain server around NVIDIA's FasterTransformer
// forms them: up to as many requests as the memory holds at the context's
// length start together, are padded to the longest prompt, and leave together
// when the longest one has ended.
class StaticSystem final : public SteppedSystem {
 public:
  // `cost` must outlive the system.
  StaticSystem(uint32_t context_length, uint64_t num_slots,
               const CostModel* cost);

 private:
  bool CanEverServe(const Member& member) const override;
  void Admit() override;
  StepWork NextWork() const override;
  void Retire() override;
  uint64_t num_allocated() const override;

  const uint64_t context_length_;
  uint64_t padded_prompt_ = 0;  // Of the batch.
  uint64_t num_steps_ = 0;      // Of the batch.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_STATIC_SYSTEM_H_
