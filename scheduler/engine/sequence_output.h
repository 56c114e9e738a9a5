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

// Makes of one sequence's tokens what the client is to get of it. Engine thread
// only.
class SequenceOutput {
 public:
  // `filter`: null makes no text.
  explicit SequenceOutput(std::unique_ptr<OutputFilter> filter)
      : filter_(std::move(filter)) {}

  // Adds the sequence's generated token number `num_generated`, counted from 1,
  // to `delta`: decides whether it ends here, and why.
  FinishReason Append(const GenerationRequest& request, TokenScores scores,
                      uint32_t num_generated, SequenceDelta& delta);

  // Of all generated tokens, natural logarithm.
  double cumulative_logprob() const { return cumulative_logprob_; }

 private:
  std::unique_ptr<OutputFilter> filter_;
  double cumulative_logprob_ = 0;
};

// [count]: outputs 0, 1, ... of a request, whose filters they take.
std::vector<SequenceOutput> MakeOutputs(GenerationRequest& request,
                                        uint32_t count);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_SEQUENCE_OUTPUT_H_
