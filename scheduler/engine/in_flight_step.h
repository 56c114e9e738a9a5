#ifndef QUIRE_SCHEDULER_ENGINE_IN_FLIGHT_STEP_H_
#define QUIRE_SCHEDULER_ENGINE_IN_FLIGHT_STEP_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/run.h"

namespace quire {

// A step that was planned and not yet committed: what it asks for, and the
// answers of the ranks as they come. Complete when all have answered well;
// rank 0's outputs count. Engine thread only.
class InFlightStep {
 public:
  // `num_swapped_blocks`: that the step moves to or from host blocks.
  InFlightStep(StepId id, uint32_t num_ranks, std::vector<Run> runs,
               uint32_t num_swapped_blocks, absl::Time planned);

  StepId id() const { return id_; }
  absl::Time planned() const { return planned_; }
  std::span<const Run> runs() const { return runs_; }
  // Whether how many tokens it gains is not known before it is committed.
  bool has_drafts() const { return has_drafts_; }
  uint32_t num_swapped_blocks() const { return num_swapped_blocks_; }
  bool HasAnswerOf(Rank rank) const { return answered_[rank.value()]; }
  bool complete() const { return num_answers_ == answered_.size(); }

  // Takes a rank's answer. INTERNAL: the rank failed, or answers what it was
  // not asked; the group can no longer be used. REQUIRES: the rank exists and
  // has not answered.
  absl::Status Accept(Rank rank, worker::v1::StepResult result);

  // REQUIRES: complete().
  const worker::v1::StepResult& result() const { return result_; }
  // Of each phase the time of the slowest rank.
  const worker::v1::StepTimings& slowest() const { return slowest_; }

 private:
  const StepId id_;
  const absl::Time planned_;
  const std::vector<Run> runs_;
  const bool has_drafts_;
  const uint32_t num_swapped_blocks_;
  std::vector<bool> answered_;  // [num_ranks]
  uint32_t num_answers_ = 0;
  worker::v1::StepResult result_;  // Rank 0's.
  worker::v1::StepTimings slowest_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_IN_FLIGHT_STEP_H_
