#ifndef QUIRE_SCHEDULER_SIM_COST_MODEL_H_
#define QUIRE_SCHEDULER_SIM_COST_MODEL_H_

#include <cstdint>

#include "absl/time/time.h"
#include "scheduler/sim/machine.h"
#include "scheduler/sim/model_shape.h"

namespace quire {

// What one step computes and moves.
struct StepWork {
  uint64_t num_rows = 0;
  uint64_t slots_read = 0;      // Each run reads its keys once.
  uint64_t slots_attended = 0;  // Each row multiplies with all its keys.
  uint64_t slots_copied = 0;    // From block to block.
  uint64_t slots_swapped = 0;   // Between blocks and host blocks.

  // Rows at `position` and behind it, which attend to all before them.
  void AddRun(uint64_t position, uint64_t num_rows);
};

// How long a step takes: a roofline of stated terms,
//
//   overheads + max(weights read, products) + max(KV read, attention)
//             + all-reduces + copies + swaps
//
// spread evenly over the model's devices. Immutable.
class CostModel {
 public:
  CostModel(const ModelShape& shape, const Machine& machine);

  absl::Duration StepTime(const StepWork& work) const;
  // Of that, copies and swaps.
  absl::Duration MoveTime(const StepWork& work) const;

 private:
  double LinearSeconds(const StepWork& work) const;
  double AttentionSeconds(const StepWork& work) const;
  double AllReduceSeconds(const StepWork& work) const;
  double MoveSeconds(const StepWork& work) const;

  const ModelShape shape_;
  const Machine machine_;
  const double bytes_per_s_;  // Of all devices.
  const double flops_;        // Of all devices.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_COST_MODEL_H_
