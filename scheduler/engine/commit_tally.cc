#include "scheduler/engine/commit_tally.h"

#include <utility>

namespace quire {

void CommitTally::AddGenerated(uint32_t num_gained, absl::Time previous,
                               absl::Time arrived) {
  num_generated_ += num_gained;
  if (previous == absl::InfinitePast()) {
    metrics_.time_to_first_token->Observe(
        absl::ToDoubleSeconds(now_ - arrived));
    return;
  }
  if (previous != previous_) {
    ReportGaps();
    previous_ = previous;
  }
  num_gaps_ += num_gained;
}

void CommitTally::Report() {
  ReportGaps();
  metrics_.prompt_tokens->Increment(num_prompt_);
  metrics_.recomputed_tokens->Increment(num_recomputed_);
  metrics_.discarded_tokens->Increment(num_discarded_);
  metrics_.right_draft_tokens->Increment(num_right_drafts_);
  metrics_.generated_tokens->Increment(num_generated_);
}

void CommitTally::ReportGaps() {
  const uint32_t count = std::exchange(num_gaps_, 0);
  if (count == 0) return;
  metrics_.ObserveTimesBetweenTokens(absl::ToDoubleSeconds(now_ - previous_),
                                     count);
}

}  // namespace quire
