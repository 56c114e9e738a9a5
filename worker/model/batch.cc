#include "worker/model/batch.h"

namespace quire {

void Batch::Clear() {
  tokens.clear();
  positions.clear();
  slots.clear();
  run_rows.clear();
  run_blocks.clear();
  blocks.clear();
  logit_rows.clear();
}

}  // namespace quire
