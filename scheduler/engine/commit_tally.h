#ifndef QUIRE_SCHEDULER_ENGINE_COMMIT_TALLY_H_
#define QUIRE_SCHEDULER_ENGINE_COMMIT_TALLY_H_

#include <cstdint>

#include "absl/time/time.h"
#include "scheduler/engine/engine_metrics.h"

namespace quire {

// What the tokens of one commit come to, counted token by token and added to
// the metrics at once: a commit has thousands of tokens, and moving a metric
// takes longer than committing one.
class CommitTally {
 public:
  // `metrics` must outlive it. `now`: of the commit.
  CommitTally(const EngineMetrics* metrics, absl::Time now)
      : metrics_(*metrics), now_(now) {}

  void AddRows(uint32_t num_prompt, uint32_t num_recomputed) {
    num_prompt_ += num_prompt;
    num_recomputed_ += num_recomputed;
  }
  void AddDiscarded(uint32_t count = 1) { num_discarded_ += count; }
  void AddRightDraft() { ++num_right_drafts_; }
  // A request that arrived at `arrived` has gained so many tokens; the one
  // before each came at `previous`. InfinitePast: they are the first.
  void AddGenerated(uint32_t num_gained, absl::Time previous,
                    absl::Time arrived);
  // To be called once, at the end.
  void Report();

 private:
  void ReportGaps();

  const EngineMetrics& metrics_;
  const absl::Time now_;
  uint32_t num_prompt_ = 0;
  uint32_t num_recomputed_ = 0;
  uint32_t num_discarded_ = 0;
  uint32_t num_right_drafts_ = 0;
  uint32_t num_generated_ = 0;
  // The last tokens counted follow ones that came at the same time: nearly all
  // of a commit do.
  absl::Time previous_ = absl::InfinitePast();
  uint32_t num_gaps_ = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_COMMIT_TALLY_H_
