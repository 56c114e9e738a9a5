#include "scheduler/sim/trace.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/check_range.h"
#include "common/named_values.h"
#include "common/status_macros.h"
#include "scheduler/sim/length_distribution.h"
#include "scheduler/sim/random_stream.h"

namespace quire {
namespace {

// Mean lengths are those of Kwon et al., "Efficient Memory Management for Large
// Language Model Serving with PagedAttention" (2023), section 6.1. How widely
// lengths spread is not in it: one sigma for all, an assumption.
struct MeanLengths {
  double prompt = 0;
  double output = 0;
};
constexpr MeanLengths kShareGptMeans = {161.31, 337.99};
constexpr MeanLengths kAlpacaMeans = {19.31, 58.45};
constexpr double kSigma = 0.8;

// Yu et al., "Orca" (2022), section 6.
constexpr uint32_t kOrcaLongestPrompt = 512;
constexpr uint32_t kOrcaLongestOutput = 128;

// A quarter of it is above the least mean length.
constexpr uint32_t kShortestContext = 8;

// Conversations that go on at the same time in a trace of chats.
constexpr uint32_t kOpenConversations = 16;

constexpr NamedValue<TraceShape> kShapes[] = {
    {"sharegpt", TraceShape::kShareGpt},
    {"alpaca", TraceShape::kAlpaca},
    {"orca", TraceShape::kOrca},
    {"shared_prefix", TraceShape::kSharedPrefix},
    {"chat", TraceShape::kChat}};

// The first token of text number `index` (the finalizer of splitmix64).
Token FirstToken(uint64_t index) {
  uint64_t x = (index + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return static_cast<Token>((x ^ (x >> 31)) & 0x7fffffffU);
}

void AppendText(Token token, uint32_t num_tokens, std::vector<Token>& prompt) {
  for (uint32_t i = 0; i < num_tokens; ++i, token = TokenAfter(token)) {
    prompt.push_back(token);
  }
}

// Fills in the lengths of one request after the other.
using Lengths = std::function<void(RandomStream&, TraceRequest&)>;

Lengths LogNormalLengths(const MeanLengths& means, uint32_t longest) {
  return [prompts = LengthDistribution(means.prompt, kSigma, longest / 2),
          outputs = LengthDistribution(means.output, kSigma, longest / 2)](
             RandomStream& random, TraceRequest& request) {
    request.prompt_tokens = prompts.Draw(random);
    request.output_tokens = outputs.Draw(random);
  };
}

void DrawOrca(RandomStream& random, TraceRequest& request) {
  request.prompt_tokens = random.UniformInt(32, kOrcaLongestPrompt);
  request.output_tokens = random.UniformInt(1, kOrcaLongestOutput);
}

// A prefix of examples, and one instruction: how long the sentences are that
// section 6.4 of Kwon et al. has translated, it does not print.
Lengths WithPrefix(uint32_t prefix_tokens, Lengths own) {
  return [prefix_tokens, own = std::move(own)](RandomStream& random,
                                               TraceRequest& request) {
    own(random, request);
    request.shared_tokens = prefix_tokens;
    request.prompt_tokens += prefix_tokens;
  };
}

// A conversation is one text; a turn adds what the user says and the answer.
// One that would outgrow the context ends, and another takes its place.
class Conversations {
 public:
  Conversations(uint32_t context_length, Lengths turn)
      : context_length_(context_length), turn_(std::move(turn)) {}

  void operator()(RandomStream& random, TraceRequest& request) {
    Conversation& open = open_[random.UniformInt(0, kOpenConversations - 1)];
    turn_(random, request);
    const uint32_t added = request.prompt_tokens + request.output_tokens;
    if (open.length == 0 || open.length + added > context_length_) {
      open = {.group = ++last_group_};
    }
    request.prompt_tokens += open.length;
    request.shared_tokens = request.prompt_tokens;
    request.group = open.group;
    open.length += added;
  }

 private:
  struct Conversation {
    uint64_t group = 0;
    uint32_t length = 0;
  };
  const uint32_t context_length_;
  const Lengths turn_;
  std::array<Conversation, kOpenConversations> open_;
  uint64_t last_group_ = 0;
};

MeanLengths MeansOf(const TraceOptions& options) {
  const MeanLengths means = options.shape == TraceShape::kAlpaca ||
                                    options.shape == TraceShape::kSharedPrefix
                                ? kAlpacaMeans
                                : kShareGptMeans;
  return {options.mean_prompt.value_or(means.prompt),
          options.mean_output.value_or(means.output)};
}

uint32_t PrefixOf(const TraceOptions& options) {
  return options.shape == TraceShape::kSharedPrefix ? options.prefix_tokens : 0;
}

Lengths LengthsOf(const TraceOptions& options) {
  if (options.shape == TraceShape::kOrca) return DrawOrca;
  const uint32_t prefix_tokens = PrefixOf(options);
  Lengths own = LogNormalLengths(MeansOf(options),
                                 options.context_length - prefix_tokens);
  if (options.shape == TraceShape::kChat) {
    return Conversations(options.context_length, std::move(own));
  }
  return prefix_tokens > 0 ? WithPrefix(prefix_tokens, std::move(own)) : own;
}

absl::Status CheckNumber(const char* name, double value, double smallest,
                         double largest) {
  if (value >= smallest && value <= largest) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      name, " is ", value, ", must be ", smallest, " to ", largest));
}

absl::Status CheckLengths(const TraceOptions& options) {
  if (options.shape == TraceShape::kOrca) {
    return CheckRange("context_length", options.context_length,
                      kOrcaLongestPrompt + kOrcaLongestOutput, UINT32_MAX);
  }
  QUIRE_RETURN_IF_ERROR(CheckRange("context_length", options.context_length,
                                   kShortestContext, UINT32_MAX));
  const uint32_t prefix_tokens = PrefixOf(options);
  QUIRE_RETURN_IF_ERROR(CheckRange("prefix_tokens", prefix_tokens, 0,
                                   options.context_length / 2));
  const MeanLengths means = MeansOf(options);
  const double longest = (options.context_length - prefix_tokens) / 4 - 1;
  QUIRE_RETURN_IF_ERROR(CheckNumber("mean_prompt", means.prompt, 1, longest));
  return CheckNumber("mean_output", means.output, 1, longest);
}

}  // namespace

std::vector<Token> PromptOf(const TraceRequest& request, uint64_t index) {
  if (!request.prompt_ids.empty()) return request.prompt_ids;
  QUIRE_CHECK(request.shared_tokens <= request.prompt_tokens);
  std::vector<Token> prompt;
  prompt.reserve(request.prompt_tokens);
  // Texts of groups have even numbers, those of single requests odd ones.
  AppendText(FirstToken(2 * request.group), request.shared_tokens, prompt);
  AppendText(FirstToken(2 * index + 1),
             request.prompt_tokens - request.shared_tokens, prompt);
  return prompt;
}

absl::StatusOr<TraceShape> ParseTraceShape(const std::string& name) {
  TraceShape shape = TraceShape::kShareGpt;
  std::string error;
  if (ParseNamedValue(kShapes, name, &shape, &error)) return shape;
  return absl::InvalidArgumentError(
      absl::StrCat("there is no trace ", name, "; ", error));
}

absl::Status CheckRate(double rate) {
  return CheckNumber("rate", rate, 1e-3, 1e6);
}

absl::Status TraceOptions::Validate() const {
  QUIRE_RETURN_IF_ERROR(CheckRate(rate));
  QUIRE_RETURN_IF_ERROR(CheckRange("requests", num_requests, 1, 1 << 20));
  QUIRE_RETURN_IF_ERROR(CheckRange("sequences", num_sequences, 1, 1024));
  return CheckLengths(*this);
}

Trace MakeTrace(const TraceOptions& options) {
  QUIRE_CHECK(options.Validate().ok());
  RandomStream random(options.seed);
  const Lengths draw = LengthsOf(options);
  Trace trace;
  trace.reserve(options.num_requests);
  double seconds = 0;
  for (uint32_t i = 0; i < options.num_requests; ++i) {
    TraceRequest request;
    seconds += random.Exponential() / options.rate;
    request.arrival = absl::Seconds(seconds);
    draw(random, request);
    request.num_sequences = options.num_sequences;
    request.is_beam_search = options.is_beam_search;
    trace.push_back(std::move(request));
  }
  return trace;
}

}  // namespace quire
