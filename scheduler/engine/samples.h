#ifndef QUIRE_SCHEDULER_ENGINE_SAMPLES_H_
#define QUIRE_SCHEDULER_ENGINE_SAMPLES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "scheduler/engine/continuation.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/engine/mailbox.h"
#include "scheduler/engine/sequence.h"
#include "scheduler/engine/sequence_output.h"

namespace quire {

// Sequences that go on by themselves, each with the token that was chosen for
// it. Where fewer are returned than are generated nothing is sent before the
// last has ended, and then those with the highest log-probability a token.
class Samples final : public Continuation {
 public:
  explicit Samples(GenerationRequest& request);

  SequenceChanges Continue(Sequence& sequence, TokenScores scores) override;
  void AddPromptScores(TokenScores scores) override;
  void TakeDeltas(const std::function<void(SequenceDelta)>& deliver) override;

 private:
  bool is_ranked() const {
    return request_.num_returned < request_.num_sequences;
  }
  void DeliverRanked(const std::function<void(SequenceDelta)>& deliver);

  const GenerationRequest& request_;
  std::vector<SequenceOutput> outputs_;  // By index.
  uint32_t num_ended_ = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_SAMPLES_H_
