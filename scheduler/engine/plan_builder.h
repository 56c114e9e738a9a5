#ifndef QUIRE_SCHEDULER_ENGINE_PLAN_BUILDER_H_
#define QUIRE_SCHEDULER_ENGINE_PLAN_BUILDER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "quire/worker/v1/plan.pb.h"
#include "scheduler/engine/run.h"
#include "scheduler/engine/sequence.h"

namespace quire {

// Writes one plan after the other, each as the difference to the one before.
// The message is reused, so that a plan in steady state allocates little.
// Engine thread only.
class PlanBuilder {
 public:
  // The ranks are to forget the sequence: part of the next plan that is
  // finished. Until then they keep its tokens in vain, but no blocks.
  void Release(SequenceId sequence) { released_.push_back(sequence); }
  // An epoch starts: the ranks know nothing.
  void ForgetReleases() { released_.clear(); }

  // Starts a plan; an unfinished one is dropped.
  void Begin();
  // The sequence in full, with its table. REQUIRES: resident, unknown to ranks.
  void AddSequence(Sequence& sequence, const worker::v1::Sampling& sampling);
  // Rows of a sequence that the ranks know, and what has changed in its table.
  void AddRun(Sequence& sequence, const Run& run);
  // Complete but for its name (Group::Enter); valid until the next Begin.
  worker::v1::StepPlan& Finish();

  // Of the plan begun last.
  const std::vector<Run>& runs() const { return runs_; }
  std::vector<Run> TakeRuns() { return std::exchange(runs_, {}); }

 private:
  void AddTableEdit(Sequence& sequence);

  std::vector<SequenceId> released_;
  worker::v1::StepPlan plan_;
  std::vector<Run> runs_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_PLAN_BUILDER_H_
