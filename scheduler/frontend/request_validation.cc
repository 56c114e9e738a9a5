#include "scheduler/frontend/request_validation.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/control_characters.h"
#include "common/status_macros.h"
#include "common/strings.h"
#include "scheduler/frontend/beam_validation.h"
#include "scheduler/frontend/field_error.h"
#include "scheduler/frontend/kv_budget.h"
#include "scheduler/frontend/list_validation.h"
#include "scheduler/frontend/prompt_validation.h"
#include "scheduler/frontend/sampling_validation.h"

namespace quire {
namespace {

constexpr size_t kMaxNameBytes = 128;
constexpr size_t kMaxSaltBytes = 256;
constexpr uint32_t kMaxSequences = 64;
constexpr size_t kMaxStopTokens = 64;
constexpr uint32_t kMaxLogprobs = 20;

// The name is written to logs and terminals as it is.
absl::Status CheckNumBytes(const char* field, const std::string& text,
                           size_t limit) {
  if (text.size() <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      field, " has ", text.size(), " bytes; it must have at most ", limit));
}

absl::Status CheckName(const std::string& name) {
  QUIRE_RETURN_IF_ERROR(CheckNumBytes("request_id", name, kMaxNameBytes));
  const size_t control = FindControlCharacter(name);
  if (control == std::string::npos) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("request_id has a control character at byte ", control,
                   "; it must have none"));
}

absl::StatusOr<Priority> ResolvePriority(v1::Priority priority) {
  switch (priority) {
    case v1::PRIORITY_LOW:
      return Priority::kLow;
    case v1::PRIORITY_UNSPECIFIED:
    case v1::PRIORITY_NORMAL:
      return Priority::kNormal;
    case v1::PRIORITY_HIGH:
      return Priority::kHigh;
    default:
      return FieldError("priority", static_cast<int>(priority),
                        absl::StrCat("it must be one of Priority, 0 to ",
                                     static_cast<int>(v1::Priority_MAX)));
  }
}

uint32_t NumReturned(const v1::GenerateRequest& request) {
  return request.has_n() ? request.n() : 1;
}

uint32_t NumSequences(const v1::GenerateRequest& request) {
  return request.has_best_of() ? request.best_of() : NumReturned(request);
}

absl::Status CheckNumSequences(const v1::GenerateRequest& request) {
  const uint32_t n = NumReturned(request);
  if (n < 1 || n > kMaxSequences)
    return FieldError("n", n, absl::StrCat("it must be 1 to ", kMaxSequences));
  const uint32_t best_of = NumSequences(request);
  if (best_of >= n && best_of <= kMaxSequences) return absl::OkStatus();
  return FieldError("best_of", best_of,
                    absl::StrCat("it must be at least n, ", n, ", and at most ",
                                 kMaxSequences));
}

absl::Status CheckLogprobs(std::string_view field, uint32_t num_alternatives) {
  if (num_alternatives <= kMaxLogprobs) return absl::OkStatus();
  return FieldError(field, num_alternatives,
                    absl::StrCat("it must be at most ", kMaxLogprobs));
}

absl::Status CheckStopping(const v1::StoppingOptions& stopping,
                           uint32_t vocabulary_size) {
  if (stopping.has_max_tokens() && stopping.max_tokens() == 0)
    return FieldError("stopping.max_tokens", 0, "it must be at least 1");
  QUIRE_RETURN_IF_ERROR(CheckStrings("stopping.stop", stopping.stop()));
  QUIRE_RETURN_IF_ERROR(CheckCount("stopping.stop_token_ids",
                                   stopping.stop_token_ids_size(),
                                   kMaxStopTokens));
  return CheckTokenIds("stopping.stop_token_ids", stopping.stop_token_ids(),
                       vocabulary_size);
}

std::vector<Token> StopTokens(const v1::StoppingOptions& stopping,
                              const ModelLimits& limits) {
  std::set<Token> tokens(stopping.stop_token_ids().begin(),
                         stopping.stop_token_ids().end());
  if (!stopping.ignore_eos())
    tokens.insert(limits.eos_token_ids.begin(), limits.eos_token_ids.end());
  return std::vector<Token>(tokens.begin(), tokens.end());
}

absl::StatusOr<uint32_t> ResolveMaxTokens(const v1::StoppingOptions& stopping,
                                          size_t prompt_length,
                                          uint32_t context_length) {
  const uint32_t room = context_length - static_cast<uint32_t>(prompt_length);
  if (!stopping.has_max_tokens()) return room;
  if (stopping.max_tokens() <= room) return stopping.max_tokens();
  return FieldError("stopping.max_tokens", stopping.max_tokens(),
                    absl::StrCat("after a prompt of ", prompt_length,
                                 " tokens the context length of ",
                                 context_length, " leaves ", room));
}

}  // namespace

absl::StatusOr<GenerationRequest> ResolveRequest(
    const v1::GenerateRequest& request, const ModelLimits& limits,
    uint64_t random_seed) {
  const v1::OutputOptions& output = request.output();
  QUIRE_RETURN_IF_ERROR(CheckName(request.request_id()));
  QUIRE_RETURN_IF_ERROR(CheckNumSequences(request));
  QUIRE_RETURN_IF_ERROR(
      CheckNumBytes("cache.salt", request.cache().salt(), kMaxSaltBytes));
  QUIRE_RETURN_IF_ERROR(CheckPrompt(request, limits));
  QUIRE_RETURN_IF_ERROR(
      CheckStopping(request.stopping(), limits.vocabulary_size));
  QUIRE_RETURN_IF_ERROR(CheckLogprobs("output.logprobs", output.logprobs()));
  QUIRE_RETURN_IF_ERROR(
      CheckLogprobs("output.prompt_logprobs", output.prompt_logprobs()));

  GenerationRequest resolved;
  resolved.name = request.request_id();
  QUIRE_ASSIGN_OR_RETURN(resolved.priority,
                         ResolvePriority(request.priority()));
  resolved.num_sequences = NumSequences(request);
  resolved.num_returned = NumReturned(request);
  resolved.uses_prefix_cache = !request.cache().bypass();
  resolved.cache_salt = request.cache().salt();
  QUIRE_ASSIGN_OR_RETURN(
      resolved.sampling,
      ResolveSampling(request.sampling(), limits.vocabulary_size, random_seed));
  resolved.sampling.set_top_logprobs(output.logprobs());
  resolved.sampling.set_top_prompt_logprobs(output.prompt_logprobs());
  resolved.stop_tokens = StopTokens(request.stopping(), limits);
  resolved.reports_logprobs = output.has_logprobs();
  resolved.reports_prompt_logprobs = output.has_prompt_logprobs();
  if (request.has_beams())
    QUIRE_RETURN_IF_ERROR(ResolveBeams(request, limits, &resolved));
  return resolved;
}

absl::Status AddPrompt(const v1::GenerateRequest& request,
                       const ModelLimits& limits, std::vector<Token> prompt,
                       GenerationRequest* resolved) {
  const v1::StoppingOptions& stopping = request.stopping();
  QUIRE_RETURN_IF_ERROR(CheckPromptLength(prompt.size(), limits));
  QUIRE_ASSIGN_OR_RETURN(
      resolved->max_tokens,
      ResolveMaxTokens(stopping, prompt.size(), limits.context_length));
  if (stopping.min_tokens() > resolved->max_tokens)
    return FieldError(
        "stopping.min_tokens", stopping.min_tokens(),
        absl::StrCat("it must be at most max_tokens, ", resolved->max_tokens));
  if (request.has_kv_budget_tokens()) {
    QUIRE_ASSIGN_OR_RETURN(
        const uint32_t within_budget,
        TokensWithinBudget(
            {.budget_tokens = request.kv_budget_tokens(),
             .prompt_tokens = static_cast<uint32_t>(prompt.size()),
             .num_sequences = resolved->num_sequences,
             .min_tokens = std::max(stopping.min_tokens(), 1u)}));
    resolved->max_tokens = std::min(resolved->max_tokens, within_budget);
  }
  const bool may_stop =
      !resolved->stop_tokens.empty() || !stopping.stop().empty();
  resolved->least_tokens =
      may_stop ? std::max(stopping.min_tokens(), 1u) : resolved->max_tokens;
  resolved->sampling.set_min_tokens(stopping.min_tokens());
  if (stopping.min_tokens() > 0) {
    resolved->sampling.mutable_banned_until_min_tokens()->Assign(
        resolved->stop_tokens.begin(), resolved->stop_tokens.end());
  }
  resolved->prompt = std::move(prompt);
  return absl::OkStatus();
}

}  // namespace quire
