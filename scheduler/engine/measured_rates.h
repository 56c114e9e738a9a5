#ifndef QUIRE_SCHEDULER_ENGINE_MEASURED_RATES_H_
#define QUIRE_SCHEDULER_ENGINE_MEASURED_RATES_H_

#include <cstdint>
#include <optional>
#include <span>

#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/run.h"

namespace quire {

// What a group's steps have taken lately, as its slowest rank says: the rates
// from which policies estimate what a choice would cost. nullopt until there
// was a step that tells. Engine thread only.
class MeasuredRates {
 public:
  // A step was committed: `runs` were computed, `num_swapped_blocks` moved to
  // or from host blocks. `slowest`: of each phase the time of the slowest rank.
  void Observe(std::span<const Run> runs, uint32_t num_swapped_blocks,
               const worker::v1::StepTimings& slowest);

  // Of a step in which every run is one row: a token for each of its sequences,
  // however many these are.
  std::optional<double> ns_per_step() const { return decode_step_.Mean(); }
  // Of a row that shares its run with others, beyond what a step takes without
  // it: of a prompt, or of what is computed anew.
  std::optional<double> ns_per_prompt_row() const { return prompt_row_.Mean(); }
  // One way.
  std::optional<double> ns_per_swapped_block() const {
    return swapped_block_.Mean();
  }

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
