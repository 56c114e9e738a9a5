#ifndef QUIRE_SCHEDULER_ENGINE_CONTINUATION_H_
#define QUIRE_SCHEDULER_ENGINE_CONTINUATION_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/container/inlined_vector.h"
#include "common/ids.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/engine/mailbox.h"
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
};

// How the sequences of a request go on from the tokens that are found for them,
// and what the client gets of it. Engine thread only.
class Continuation {
 public:
  virtual ~Continuation() = default;

  // The likeliest tokens behind the sequence are known, and the one that was
  // chosen among them.
  virtual SequenceChanges Continue(Sequence& sequence, TokenScores scores) = 0;
  // The sequences start from their tokens: what was found for the next ones and
  // not used is found again.
  virtual void OnAdmitted() {}

  virtual void AddPromptScores(TokenScores scores) = 0;
  // Moves what the client can be sent to `deliver`.
  virtual void TakeDeltas(
      const std::function<void(SequenceDelta)>& deliver) = 0;
};

// What the request asks for. `request` must outlive it, but for its filters,
// which are taken.
std::unique_ptr<Continuation> MakeContinuation(GenerationRequest& request);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_CONTINUATION_H_
