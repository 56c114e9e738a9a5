#ifndef QUIRE_SCHEDULER_ENGINE_SEQUENCE_OUTPUT_H_
#define QUIRE_SCHEDULER_ENGINE_SEQUENCE_OUTPUT_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "scheduler/engine/generation_request.h"
#include "scheduler/engine/mailbox.h"
#include "scheduler/engine/output_filter.h"

namespace quire {

// What the client is to get of one sequence of a request. Engine thread only.
class SequenceOutput {
 public:
  // `filter`: null makes no text.
  SequenceOutput(uint32_t index, std::unique_ptr<OutputFilter> filter);

  // The sequence's generated token number `num_generated`, counted from 1:
  // decides whether it ends here, and why.
  FinishReason Append(const GenerationRequest& request, TokenScores scores,
                      uint32_t num_generated);
  void AddPromptScores(TokenScores scores);

  // Of all generated tokens, natural logarithm.
  double cumulative_logprob() const { return cumulative_logprob_; }

  // Of a sequence that is ranked, for its last delta.
  void SetScore(double score) { delta_.score = score; }

  // What has not been taken.
  bool has_delta() const { return has_delta_; }
  SequenceDelta TakeDelta();

 private:
  uint32_t index_;
  std::unique_ptr<OutputFilter> filter_;
  double cumulative_logprob_ = 0;
  SequenceDelta delta_;
  bool has_delta_ = false;
};

// [count]: outputs 0, 1, ... of a request, whose filters they take.
std::vector<SequenceOutput> MakeOutputs(GenerationRequest& request,
                                        uint32_t count);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_SEQUENCE_OUTPUT_H_
