#ifndef QUIRE_SCHEDULER_ENGINE_BEAMS_H_
#define QUIRE_SCHEDULER_ENGINE_BEAMS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/engine/continuation.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/engine/mailbox.h"
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

  SequenceChanges Continue(Sequence& sequence, TokenScores scores) override;
  void OnAdmitted() override;
  void AddPromptScores(TokenScores scores) override;
  void TakeDeltas(const std::function<void(SequenceDelta)>& deliver) override;

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
  // Moves the tokens of a hypothesis to an output. Why it ended.
  FinishReason Write(const Hypothesis& hypothesis, SequenceOutput& output);

  const GenerationRequest& request_;
  const BeamSearchRules rules_;
  std::vector<Node> nodes_;
  std::vector<Beam> beams_{Beam()};      // By index of their sequences.
  std::vector<Hypothesis> hypotheses_;   // At most the width, best first.
  std::vector<SequenceOutput> outputs_;  // By rank.
  bool done_ = false;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_BEAMS_H_
