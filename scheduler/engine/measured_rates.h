#ifndef QUIRE_SCHEDULER_ENGINE_MEASURED_RATES_H_
#define QUIRE_SCHEDULER_ENGINE_MEASURED_RATES_H_

#include <cstdint>
#include <optional>
#include <span>

#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/run.h"
#include "scheduler/policy/work_rates.h"

namespace quire {

// What a group's steps have taken lately, as its slowest rank says. Engine
// thread only.
class MeasuredRates {
 public:
  // A step was committed: `runs` were computed, `num_swapped_blocks` moved to
  // or from host blocks. `slowest`: of each phase the time of the slowest rank.
  void Observe(std::span<const Run> runs, uint32_t num_swapped_blocks,
               const worker::v1::StepTimings& slowest);

  // Each is nullopt until there was a step that tells.
  WorkRates Means() const;

 private:
  // A mean over what was observed, in which each observation weighs as its
  // number of units and fades with those that follow.
  class FadingMean {
   public:
    void Add(double sum, double num_units);
    std::optional<double> Mean() const;

   private:
    double sum_ = 0;
    double num_units_ = 0;
  };

  FadingMean decode_step_;
  FadingMean prompt_row_;
  FadingMean swapped_block_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_MEASURED_RATES_H_
