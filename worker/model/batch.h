#ifndef QUIRE_WORKER_MODEL_BATCH_H_
#define QUIRE_WORKER_MODEL_BATCH_H_

#include <cstdint>
#include <vector>

#include "common/ids.h"

namespace quire {

// The rows of one step in compressed-row form: what the model computes. A row
// is one token; a run is consecutive rows of one sequence, which share a block
// table. Built by the executor from the plan, reused from step to step.
struct Batch {
  // By row. [num_rows]
  std::vector<Token> tokens;
  std::vector<int32_t> positions;  // For RoPE.
  std::vector<int32_t>
      slots;  // Logical slot: K and V go there, keys 0 .. slot are attended to.

  // By run. Rows of run r: run_rows[r] .. run_rows[r + 1]; its block table:
  // blocks[run_blocks[r] .. run_blocks[r + 1]).
  std::vector<int32_t> run_rows;    // [num_runs + 1]
  std::vector<int32_t> run_blocks;  // [num_runs + 1]
  std::vector<BlockId> blocks;      // Logical block i of a run -> block id.

  // Rows whose logits are wanted, ascending.
  std::vector<int32_t> logit_rows;

  int num_rows() const { return static_cast<int>(tokens.size()); }
  int num_runs() const {
    return run_rows.empty() ? 0 : static_cast<int>(run_rows.size()) - 1;
  }
  void Clear();
};

// The first `num_slots` slots of `source`, in every layer, go to `destination`.
struct BlockCopy {
  BlockId source;
  BlockId destination;
  int32_t num_slots = 0;
};

// All slots of `block`, in every layer, go to `host_block` or come from it.
struct BlockSwap {
  BlockId block;
  HostBlockId host_block;
};

}  // namespace quire

#endif  // QUIRE_WORKER_MODEL_BATCH_H_
