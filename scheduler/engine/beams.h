#ifndef QUIRE_SCHEDULER_ENGINE_BEAMS_H_
#define QUIRE_SCHEDULER_ENGINE_BEAMS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/engine/continuation.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/engine/mailbox.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/sequence.h"
#include "scheduler/engine/sequence_output.h"
#include "scheduler/policy/beam_search.h"

namespace quire {

// The beams of a search: sequences that go on together. When the candidates of
// all are known, the best ones of them begin as branches, and all beams end.
// The client gets the best hypotheses when the search is done.
class Beams final : public Continuation {
 public:
  // The search begins with one sequence, the prompt.
  explicit Beams(GenerationRequest& request);

  uint32_t num_first_sequences() const override { return 1; }
  uint32_t most_sequences(uint32_t) const override { return rules_.width; }
  bool runs_ahead() const override { return false; }
  SequenceChanges Continue(Sequence& sequence, TokenScores scores,
                           ClientOutput output) override;
  void OnAdmitted() override;
  void AddPromptScores(TokenScores scores, ClientOutput output) override;

 private:
  static constexpr uint32_t kNoNode = ~uint32_t{0};
  // A generated token. Continuations that begin alike share their nodes.
  struct Node {
    TokenScores scores;
    uint32_t before = kNoNode;  // The token before it.
  };
  struct Beam {
    double cumulative_logprob = 0;
    uint32_t last = kNoNode;
    // Once its candidates are known: these, and whose they are.
    std::optional<TokenScores> found;
    Sequence* sequence = nullptr;
  };
  struct Hypothesis {
    uint32_t last = kNoNode;
    double score = 0;
  };

  std::vector<BeamCandidate> Candidates(uint32_t num_generated) const;
  uint32_t AddNode(const BeamCandidate& candidate);
  void Keep(std::span<const BeamHypothesis> complete);
  // Sends the hypothesis of that rank. Why it ended.
  FinishReason Deliver(uint32_t rank, ClientOutput output);

  const GenerationRequest& request_;
  const BeamSearchRules rules_;
  std::vector<Node> nodes_;
  std::vector<Beam> beams_{Beam()};      // By index of their sequences.
  std::vector<Hypothesis> hypotheses_;   // At most the width, best first.
  std::vector<SequenceOutput> outputs_;  // By rank.
  std::vector<TokenScores> prompt_scores_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_BEAMS_H_
