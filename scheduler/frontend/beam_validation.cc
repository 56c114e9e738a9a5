#include "scheduler/frontend/beam_validation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "scheduler/frontend/field_error.h"
#include "scheduler/policy/beam_search.h"

namespace quire {
namespace {

constexpr uint32_t kMaxWidth = 32;
constexpr float kMaxLengthPenalty = 10;
// Likeliest tokens that ranks report of a row, at most.
constexpr uint32_t kMaxCandidates = 64;

// A field that a beam search does without.
struct DrawingField {
  bool is_given;
  const char* name;
  std::string value;  // " is 4", " has 2 entries".
};

std::string Is(uint32_t value) { return absl::StrCat(" is ", value); }
std::string Is(float value) { return absl::StrCat(" is ", FloatText(value)); }
std::string Has(size_t count) {
  return absl::StrCat(" has ", count, count == 1 ? " entry" : " entries");
}

// The likeliest continuations are found, not drawn: from the model's own
// distribution.
absl::Status CheckNothingIsDrawn(const v1::GenerateRequest& request) {
  const v1::SamplingOptions& sampling = request.sampling();
  const DrawingField fields[] = {
      {request.has_best_of(), "best_of", Is(request.best_of())},
      {sampling.temperature() != 0, "sampling.temperature",
       Is(sampling.temperature())},
      {sampling.has_top_k(), "sampling.top_k", Is(sampling.top_k())},
      {sampling.has_top_p(), "sampling.top_p", Is(sampling.top_p())},
      {sampling.has_min_p(), "sampling.min_p", Is(sampling.min_p())},
      {sampling.has_repetition_penalty(), "sampling.repetition_penalty",
       Is(sampling.repetition_penalty())},
      {sampling.has_presence_penalty(), "sampling.presence_penalty",
       Is(sampling.presence_penalty())},
      {sampling.has_frequency_penalty(), "sampling.frequency_penalty",
       Is(sampling.frequency_penalty())},
      {!sampling.logit_bias().empty(), "sampling.logit_bias",
       Has(sampling.logit_bias().size())},
      {!sampling.bad_words().empty(), "sampling.bad_words",
       Has(sampling.bad_words().size())},
      {!request.stopping().stop().empty(), "stopping.stop",
       Has(request.stopping().stop().size())},
  };
  for (const DrawingField& field : fields) {
    if (!field.is_given) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        field.name, field.value,
        "; it cannot be combined with beams: leave it out of a beam search"));
  }
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> ResolveWidth(const v1::GenerateRequest& request,
                                      const ModelLimits& limits,
                                      uint32_t num_stop_tokens) {
  const uint32_t width = request.beams().beam_width();
  const uint32_t n = request.has_n() ? request.n() : 1;
  if (width < n || width > kMaxWidth) {
    return FieldError("beams.beam_width", width,
                      absl::StrCat("it must be at least n, ", n,
                                   ", and at most ", kMaxWidth));
  }
  const uint32_t most = std::min(kMaxCandidates, limits.vocabulary_size);
  if (num_stop_tokens >= most) {
    return absl::InvalidArgumentError(absl::StrCat(
        num_stop_tokens, " tokens end the generation, the model's own and ",
        "stopping.stop_token_ids; with beams it must be at most ", most - 1));
  }
  if (CandidatesPerBeam(width, num_stop_tokens) > most) {
    return FieldError(
        "beams.beam_width", width,
        absl::StrCat("with ", num_stop_tokens,
                     " tokens that end the generation it must be at most ",
                     most - num_stop_tokens));
  }
  return width;
}

absl::StatusOr<float> ResolveLengthPenalty(const v1::BeamOptions& beams) {
  const float penalty = beams.has_length_penalty() ? beams.length_penalty() : 1;
  if (std::abs(penalty) <= kMaxLengthPenalty) return penalty;
  return FieldError("beams.length_penalty", penalty,
                    absl::StrCat("it must be ", -kMaxLengthPenalty, " to ",
                                 kMaxLengthPenalty));
}

absl::StatusOr<EarlyStopping> ResolveEarlyStopping(v1::EarlyStopping value) {
  switch (value) {
    case v1::EARLY_STOPPING_UNSPECIFIED:
    case v1::EARLY_STOPPING_FALSE:
      return EarlyStopping::kFalse;
    case v1::EARLY_STOPPING_TRUE:
      return EarlyStopping::kTrue;
    case v1::EARLY_STOPPING_NEVER:
      return EarlyStopping::kNever;
    default:
      return FieldError("beams.early_stopping", static_cast<int>(value),
                        "it must be a value of EarlyStopping");
  }
}

}  // namespace

absl::Status ResolveBeams(const v1::GenerateRequest& request,
                          const ModelLimits& limits,
                          GenerationRequest* resolved) {
  const auto num_stop_tokens =
      static_cast<uint32_t>(resolved->stop_tokens.size());
  QUIRE_RETURN_IF_ERROR(CheckNothingIsDrawn(request));
  QUIRE_ASSIGN_OR_RETURN(resolved->num_sequences,
                         ResolveWidth(request, limits, num_stop_tokens));
  BeamOptions& beams = resolved->beams.emplace();
  QUIRE_ASSIGN_OR_RETURN(beams.length_penalty,
                         ResolveLengthPenalty(request.beams()));
  QUIRE_ASSIGN_OR_RETURN(
      beams.early_stopping,
      ResolveEarlyStopping(request.beams().early_stopping()));
  worker::v1::Sampling& sampling = resolved->sampling;
  beams.top_logprobs = sampling.top_logprobs();
  sampling.set_temperature(0);
  sampling.set_top_logprobs(
      std::max(sampling.top_logprobs(),
               CandidatesPerBeam(resolved->num_sequences, num_stop_tokens)));
  return absl::OkStatus();
}

}  // namespace quire
