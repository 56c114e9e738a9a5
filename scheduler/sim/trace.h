#ifndef QUIRE_SCHEDULER_SIM_TRACE_H_
#define QUIRE_SCHEDULER_SIM_TRACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"

namespace quire {

// A request as a simulation plays it: it generates output_tokens, whatever
// they are.
struct TraceRequest {
  absl::Duration arrival;      // After the start.
  uint32_t prompt_tokens = 0;  // At least 1.
  uint32_t output_tokens = 0;  // At least 1, of each sequence.
  // So many of the prompt's first tokens are those of its group's text; the
  // rest belongs to this request alone.
  uint32_t shared_tokens = 0;
  uint64_t group = 0;
  uint32_t num_sequences = 1;
  bool is_beam_search = false;    // Its sequences are the beams of one.
  std::vector<Token> prompt_ids;  // Where recorded: the prompt itself.
};

// In the order of arrival.
using Trace = std::vector<TraceRequest>;

// The prompt of request number `index`.
std::vector<Token> PromptOf(const TraceRequest& request, uint64_t index);

// The token that follows another in every modelled text: a text is known by its
// first token, and an answer goes on as the next prompt of its conversation
// says it did.
constexpr Token TokenAfter(Token token) {
  return static_cast<Token>(
      (static_cast<uint32_t>(token) * 1664525U + 1013904223U) & 0x7fffffffU);
}

enum class TraceShape {
  kShareGpt,      // Conversations with a chat bot: long, and long answers.
  kAlpaca,        // Instructions: short.
  kOrca,          // Uniform: 32 to 512 tokens in, 1 to 128 out.
  kSharedPrefix,  // Every prompt begins with one long text.
  kChat,          // Each turn's prompt is all that was said before.
};

// "sharegpt", "alpaca", "orca", "shared_prefix", "chat". INVALID_ARGUMENT lists
// them.
absl::StatusOr<TraceShape> ParseTraceShape(const std::string& name);

// INVALID_ARGUMENT names the limits of a rate, in requests a second.
absl::Status CheckRate(double rate);

struct TraceOptions {
  TraceShape shape = TraceShape::kShareGpt;
  double rate = 1;  // Requests a second, arriving as a Poisson process.
  uint32_t num_requests = 1000;
  uint64_t seed = 1;
  uint32_t context_length = 2048;  // No request is longer.
  uint32_t num_sequences = 1;      // Of each request.
  bool is_beam_search = false;     // They are beams, not samples.
  // Of kSharedPrefix: what all prompts begin with.
  uint32_t prefix_tokens = 341;
  // Tokens, of every shape but kOrca: what a request adds to what it shares,
  // and its answer. Absent: as the shape's data set has them.
  std::optional<double> mean_prompt;
  std::optional<double> mean_output;

  // INVALID_ARGUMENT names the option, its value and the limit. Means are below
  // a quarter of what the context has room for beside the prefix, so that few
  // lengths are cut.
  absl::Status Validate() const;
};

// The same options give the same trace. REQUIRES: they are valid.
Trace MakeTrace(const TraceOptions& options);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_TRACE_H_
