#ifndef QUIRE_SCHEDULER_ENGINE_PLAN_BUILDER_H_
#define QUIRE_SCHEDULER_ENGINE_PLAN_BUILDER_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "quire/worker/v1/plan.pb.h"
#include "scheduler/engine/pending_swaps.h"
#include "scheduler/engine/run.h"
#include "scheduler/engine/sequence.h"
#include "scheduler/memory/block_pool.h"

namespace quire {

// Writes one plan after the other, each as the difference to the one before.
// What is added belongs to the next plan that is finished, whenever that is.
// The message is reused, so that a plan in steady state allocates little.
// Engine thread only.
class PlanBuilder {
 public:
  // The ranks are to forget the sequence, if they were told of it. Until then
  // they keep its tokens in vain, but no blocks.
  void Release(const Sequence& sequence);
  // What the ranks are to swap.
  PendingSwaps& swaps() { return swaps_; }
  const PendingSwaps& swaps() const { return swaps_; }
  // An epoch starts: the ranks know nothing.
  void StartOver();

  // A sequence as a copy of `parent`, which the ranks hold. `sampling`, here
  // and below: its request's. REQUIRES: resident, they were not told of it; no
  // run was added yet, since forks come first in a plan.
  void AddFork(Sequence& sequence, const Sequence& parent,
               const worker::v1::Sampling& sampling);
  // Rows of a sequence and all that the ranks must know for them: the sequence
  // itself where they were not told of it, what has changed in its table, and
  // the copy to be made before. `drafts`: [run.num_drafts]. REQUIRES: resident.
  void AddRun(Sequence& sequence, const worker::v1::Sampling& sampling,
              const Run& run, std::span<const Token> drafts = {});
  // Of the plan that is not finished.
  uint32_t num_copies() const {
    return static_cast<uint32_t>(copy_sources_.size());
  }
  const std::vector<Run>& runs() const { return runs_; }

  struct Finished {
    // Complete but for its name (Group::Enter); valid until more is added.
    worker::v1::StepPlan& plan;
    std::vector<Run> runs;
  };
  Finished Finish();

 private:
  // The plan that is not finished.
  worker::v1::StepPlan& plan();
  void AddSequence(Sequence& sequence, const worker::v1::Sampling& sampling);
  void AddTableEdit(Sequence& sequence);
  void AddCopy(Sequence& sequence);
  void WriteRuns();

  std::vector<SequenceId> released_;
  PendingSwaps swaps_;
  // Sources of this plan's copies. They are not handed out again before the
  // next plan, which is executed after the copies are made.
  std::vector<BlockPin> copy_sources_;
  worker::v1::StepPlan plan_;
  bool finished_ = false;
  std::vector<Run> runs_;
  std::vector<Token> drafts_;  // Of all runs.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_PLAN_BUILDER_H_
