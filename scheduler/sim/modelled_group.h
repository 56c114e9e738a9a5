#ifndef QUIRE_SCHEDULER_SIM_MODELLED_GROUP_H_
#define QUIRE_SCHEDULER_SIM_MODELLED_GROUP_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/ids.h"
#include "quire/worker/v1/plan.pb.h"
#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/group_link.h"
#include "scheduler/sim/cost_model.h"
#include "scheduler/sim/virtual_clock.h"

namespace quire {

// A group without workers: it takes plans, one after the other, and has the
// result of each when the modelled time is over. Its model goes on with
// TokenAfter, whatever the sampling, but for a fork of a prompt, which says
// what no other sequence does: samples differ. Where candidates are asked for,
// the i-th has the probability (1 - q) q^i, with a q from 0 to 1 that depends
// on the sequence: from one that is sure to one that is not. Plans are
// serialized as a real link would, and that is timed. One thread.
class ModelledGroup final : public GroupLink {
 public:
  // What one Dispatch took of the processor that simulates.
  struct DispatchCost {
    absl::Duration serialize;
    absl::Duration all;  // The model's part included.
    uint64_t plan_bytes = 0;
  };

  // All pointers must outlive the group. `cpu` times the simulation itself.
  ModelledGroup(const VirtualClock* clock, const Clock* cpu,
                const CostModel* cost, uint32_t block_size);

  void Dispatch(worker::v1::StepPlan& plan) override;
  // The engine found a result wrong, which is an error of this class.
  void Abandon(const std::string& reason) override;

  // When the oldest step in flight is over; InfiniteDuration: there is none.
  absl::Duration next_result() const;
  // REQUIRES: there is one in flight.
  worker::v1::StepResult TakeResult();

  // One for each step so far.
  const std::vector<DispatchCost>& dispatches() const { return dispatches_; }
  uint64_t num_rows() const { return num_rows_; }

 private:
  struct Step {
    absl::Duration end;
    worker::v1::StepResult result;
  };

  absl::Duration Serialize(const worker::v1::StepPlan& plan);
  void ApplyDifference(const worker::v1::StepPlan& plan);
  StepWork WorkOf(const worker::v1::StepPlan& plan) const;
  worker::v1::StepResult Answer(const worker::v1::StepPlan& plan);
  void SetTimings(const StepWork& work, worker::v1::StepTimings& timings) const;

  const VirtualClock* const clock_;
  const Clock* const cpu_;
  const CostModel* const cost_;
  const uint32_t block_size_;
  // The last token that is known of each sequence, by id.
  struct HeldSequence {
    Token last_token = 0;
    uint32_t num_top = 0;  // Candidates that it is to report.
  };
  static void AddCandidates(const HeldSequence& sequence,
                            worker::v1::SampledTokens& sampled);

  absl::flat_hash_map<uint64_t, HeldSequence> held_;
  std::deque<Step> in_flight_;
  absl::Duration free_from_;  // When the last step so far is over.
  std::string bytes_;         // Of the last plan; kept for its memory.
  std::vector<DispatchCost> dispatches_;
  uint64_t num_rows_ = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_MODELLED_GROUP_H_
