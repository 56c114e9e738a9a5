#ifndef QUIRE_SCHEDULER_ENGINE_RUN_H_
#define QUIRE_SCHEDULER_ENGINE_RUN_H_

#include <cstdint>

#include "common/ids.h"

namespace quire {

// Consecutive rows of one sequence in one step, as they were planned.
struct Run {
  SequenceId sequence;
  uint32_t lane = 0;      // See LaneTable.
  uint32_t position = 0;  // Of the first row.
  uint32_t num_rows = 0;
  uint32_t num_prompt_rows = 0;  // Of these, the first ones: of the prompt.
  uint32_t num_drafts = 0;       // Of num_rows, the last ones.
  bool samples = false;  // The token at known_end(), and one behind each draft.
  uint32_t num_scored = 0;  // Prompt tokens position + 1, position + 2, ...
  // Alternatives that are reported with each sampled and each scored token.
  uint32_t num_top = 0;
  uint32_t num_top_scored = 0;

  uint32_t end() const { return position + num_rows; }
  // Behind the last row that is no draft.
  uint32_t known_end() const { return end() - num_drafts; }
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_RUN_H_
