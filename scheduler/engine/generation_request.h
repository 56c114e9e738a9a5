#ifndef QUIRE_SCHEDULER_ENGINE_GENERATION_REQUEST_H_
#define QUIRE_SCHEDULER_ENGINE_GENERATION_REQUEST_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/ids.h"
#include "quire/worker/v1/plan.pb.h"
#include "scheduler/engine/mailbox.h"
#include "scheduler/engine/output_filter.h"
#include "scheduler/policy/beam_search.h"
#include "scheduler/policy/order.h"

namespace quire {

// Of a beam search; see BeamSearchRules.
struct BeamOptions {
  double length_penalty = 1;
  EarlyStopping early_stopping = EarlyStopping::kFalse;
  // Alternatives that the client gets with each token. Candidates of the
  // search are those that `sampling` asks the ranks for.
  uint32_t top_logprobs = 0;
};

// A request as the engine takes it: validated against the model, tokenized,
// every default resolved. Whether it can fit the KV cache is the engine's to
// say.
struct GenerationRequest {
  RequestId id;
  std::string name;               // The client's request_id, for people's eyes.
  std::vector<Token> prompt;      // Not empty.
  worker::v1::Sampling sampling;  // Of the first sequence.
  uint32_t max_tokens = 0;  // At least 1; prompt and these fit the context.
  // That each sequence has to generate, whatever the model says: at least 1.
  uint32_t least_tokens = 1;
  std::vector<Token>
      stop_tokens;  // End of sequence (unless ignored) and the request's own.
  bool reports_logprobs = false;
  bool reports_prompt_logprobs = false;
  Priority priority = Priority::kNormal;
  absl::Time deadline = absl::InfiniteFuture();
  // One for each sequence; empty: no text is made.
  std::vector<std::unique_ptr<OutputFilter>> filters;
  std::shared_ptr<Mailbox> mailbox;
  // Whether it reads blocks that others wrote, and writes such. One that
  // reports_prompt_logprobs reads none.
  bool uses_prefix_cache = true;
  std::string cache_salt;  // Only equal ones share blocks.
  // Samples that are drawn from the prompt, sequence i as a request with the
  // seed sampling.seed + i would.
  uint32_t num_sequences = 1;
  // How many of them the client gets. Fewer than num_sequences: those with the
  // highest log-probability a token, and nothing before all have ended.
  uint32_t num_returned = 1;
  // Present: not samples but hypotheses of a beam search of the width
  // num_sequences. `sampling` is greedy and reports CandidatesPerBeam.
  std::optional<BeamOptions> beams;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_GENERATION_REQUEST_H_
