#include "scheduler/sim/trace.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "scheduler/sim/length_distribution.h"
#include "scheduler/sim/random_stream.h"

namespace quire {
namespace {

// Mean lengths are those of Kwon et al., "Efficient Memory Management for Large
// Language Model Serving with PagedAttention" (2023), section 6.1. How widely
// lengths spread is not in it: one sigma for all, an assumption.
constexpr double kShareGptPrompt = 161.31;
constexpr double kShareGptOutput = 337.99;
constexpr double kAlpacaPrompt = 19.31;
constexpr double kAlpacaOutput = 58.45;
constexpr double kSigma = 0.8;

// Conversations that go on at the same time in a trace of chats.
constexpr uint32_t kOpenConversations = 16;

constexpr std::array<std::pair<const char*, TraceShape>, 5> kShapes = {{
    {"sharegpt", TraceShape::kShareGpt},
    {"alpaca", TraceShape::kAlpaca},
    {"orca", TraceShape::kOrca},
    {"shared_prefix", TraceShape::kSharedPrefix},
    {"chat", TraceShape::kChat},
}};

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

Lengths LogNormalLengths(double prompt, double output, uint32_t longest) {
  return [prompts = LengthDistribution(prompt, kSigma, longest / 2),
          outputs = LengthDistribution(output, kSigma, longest / 2)](
             RandomStream& random, TraceRequest& request) {
    request.prompt_tokens = prompts.Draw(random);
    request.output_tokens = outputs.Draw(random);
  };
}

// Yu et al., "Orca" (2022), section 6.
void DrawOrca(RandomStream& random, TraceRequest& request) {
  request.prompt_tokens = random.UniformInt(32, 512);
  request.output_tokens = random.UniformInt(1, 128);
}

// A prefix of examples, and one instruction: how long the sentences are that
// section 6.4 of Kwon et al. has translated, it does not print.
Lengths SharedPrefixLengths(uint32_t prefix_tokens, uint32_t context_length) {
  return
      [prefix_tokens, own = LogNormalLengths(kAlpacaPrompt, kAlpacaOutput,
                                             context_length - prefix_tokens)](
          RandomStream& random, TraceRequest& request) {
        own(random, request);
        request.shared_tokens = prefix_tokens;
        request.prompt_tokens += prefix_tokens;
      };
}

// A conversation is one text; a turn adds what the user says and the answer.
// One that would outgrow the context ends, and another takes its place.
class Conversations {
 public:
  explicit Conversations(uint32_t context_length)
      : context_length_(context_length),
        turn_(LogNormalLengths(kShareGptPrompt, kShareGptOutput,
                               context_length)) {}

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

Lengths LengthsOf(const TraceOptions& options) {
  const uint32_t context_length = options.context_length;
  switch (options.shape) {
    case TraceShape::kShareGpt:
      return LogNormalLengths(kShareGptPrompt, kShareGptOutput, context_length);
    case TraceShape::kAlpaca:
      return LogNormalLengths(kAlpacaPrompt, kAlpacaOutput, context_length);
    case TraceShape::kOrca:
      return DrawOrca;
    case TraceShape::kSharedPrefix:
      return SharedPrefixLengths(options.prefix_tokens, context_length);
    case TraceShape::kChat:
      return Conversations(context_length);
  }
  return nullptr;
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
  std::string names;
  for (const auto& [known, shape] : kShapes) {
    if (name == known) return shape;
    absl::StrAppend(&names, names.empty() ? "" : ", ", known);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no trace ", name, "; there are: ", names));
}

Trace MakeTrace(const TraceOptions& options) {
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
    trace.push_back(std::move(request));
  }
  return trace;
}

}  // namespace quire
