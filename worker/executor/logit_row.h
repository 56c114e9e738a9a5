#ifndef QUIRE_WORKER_EXECUTOR_LOGIT_ROW_H_
#define QUIRE_WORKER_EXECUTOR_LOGIT_ROW_H_

#include <cstdint>
#include <optional>

#include "common/ids.h"
#include "worker/executor/sequence_store.h"

namespace quire {

// What the logits of a row are for.
struct LogitRow {
  StoredSequence* sequence = nullptr;
  uint32_t position = 0;       // Of the token that is chosen or scored.
  bool is_sampled = false;     // False: the token is part of the prompt.
  std::optional<Token> draft;  // The row has read a guess: this one.
};

// Tells of one sampled row after the other, in their order, whether it counts:
// each does but those of a draft that is not the token sampled before it.
class DraftCheck {
 public:
  bool Counts(const LogitRow& row, Token sampled) {
    counts_ = !row.draft.has_value() || (counts_ && sampled_ == *row.draft);
    sampled_ = sampled;
    return counts_;
  }

 private:
  bool counts_ = false;
  Token sampled_ = 0;
};

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_LOGIT_ROW_H_
