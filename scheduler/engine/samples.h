#ifndef QUIRE_SCHEDULER_ENGINE_SAMPLES_H_
#define QUIRE_SCHEDULER_ENGINE_SAMPLES_H_

#include <cstdint>
#include <vector>

#include "scheduler/engine/continuation.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/engine/mailbox.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/sequence.h"
#include "scheduler/engine/sequence_output.h"

namespace quire {

// Sequences that go on by themselves, each with the token that was chosen for
// it. Where fewer are returned than are generated nothing is sent before the
// last has ended, and then those with the highest log-probability a token.
class Samples final : public Continuation {
 public:
  explicit Samples(GenerationRequest& request);

  uint32_t num_first_sequences() const override {
    return request_.num_sequences;
  }
  uint32_t most_sequences(uint32_t num_open) const override { return num_open; }
  bool runs_ahead() const override { return true; }
  SequenceChanges Continue(Sequence& sequence, TokenScores scores,
                           ClientOutput output) override;
  void AddPromptScores(TokenScores scores, ClientOutput output) override;

 private:
  bool is_ranked() const { return !held_.empty(); }
  // Where what is new of a sequence goes.
  SequenceDelta& DeltaOf(uint32_t index, ClientOutput output);
  void DeliverRanked(ClientOutput output);

  const GenerationRequest& request_;
  std::vector<SequenceOutput> outputs_;  // By index.
  std::vector<SequenceDelta> held_;      // By index, where they are ranked.
  uint32_t num_ended_ = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_SAMPLES_H_
