#ifndef QUIRE_SCHEDULER_ENGINE_CONTINUATION_H_
#define QUIRE_SCHEDULER_ENGINE_CONTINUATION_H_

#include <cstdint>
#include <memory>

#include "absl/container/inlined_vector.h"
#include "common/ids.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/engine/mailbox.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/sequence.h"

namespace quire {

// A sequence that is to begin with all tokens of another one and one more.
struct Branch {
  const Sequence* parent = nullptr;
  uint32_t index = 0;  // Of the new sequence.
  Token token = 0;
};

// What becomes of a request's sequences when one of them has a new token: first
// the branches begin, then others end.
struct SequenceChanges {
  absl::InlinedVector<Branch, 1> branches;
  absl::InlinedVector<Sequence*, 1> ended;
  FinishReason reason = FinishReason::kNone;  // Of those that ended.
  // Tokens that the request has gained. Each counts once: one that was found,
  // not used and found again as well.
  uint32_t num_gained = 0;
};

// How the sequences of a request go on from the tokens that are found for them,
// and what the client gets of it. Engine thread only.
class Continuation {
 public:
  virtual ~Continuation() = default;

  // Sequences that the request begins with,
  virtual uint32_t num_first_sequences() const = 0;
  // and the most that it may have from here on, now that it has `num_open`.
  virtual uint32_t most_sequences(uint32_t num_open) const = 0;
  // Whether their rows are planned for tokens in flight (see Sequence): not
  // where the tokens of one decide what becomes of another.
  virtual bool runs_ahead() const = 0;

  // The likeliest tokens behind the sequence are known, and the one that was
  // chosen among them. Where the sequence itself goes on, its token is appended
  // here; what else becomes of sequences is returned. What the client can be
  // sent goes to `output`, here and below.
  virtual SequenceChanges Continue(Sequence& sequence, TokenScores scores,
                                   ClientOutput output) = 0;
  // Admitted, the first time or again: scores that were received and not used
  // yet will come once more.
  virtual void OnAdmitted() {}

  // Of the next prompt token.
  virtual void AddPromptScores(TokenScores scores, ClientOutput output) = 0;
};

// What the request asks for. `request` must outlive it, but for its filters,
// which are taken.
std::unique_ptr<Continuation> MakeContinuation(GenerationRequest& request);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_CONTINUATION_H_
