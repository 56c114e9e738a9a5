#include "scheduler/frontend/sampling_validation.h"

#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "scheduler/frontend/field_error.h"
#include "scheduler/frontend/list_validation.h"

namespace quire {
namespace {

constexpr int kMaxBiases = 1024;
constexpr float kMaxBias = 100;
constexpr float kMaxPenalty = 2;

// `within` is a comparison that NaN fails.
absl::Status Check(bool within, std::string_view field, float value,
                   std::string_view limit) {
  if (within) return absl::OkStatus();
  return FieldError(field, FloatText(value), limit);
}

absl::Status CheckPenalty(std::string_view field, float value) {
  return Check(std::abs(value) <= kMaxPenalty, field, value,
               "it must be from -2 to 2");
}

absl::Status ResolveDistribution(const v1::SamplingOptions& options,
                                 uint32_t vocabulary_size,
                                 worker::v1::Sampling* sampling) {
  const float temperature =
      options.has_temperature() ? options.temperature() : 1;
  QUIRE_RETURN_IF_ERROR(Check(temperature >= 0 && std::isfinite(temperature),
                              "sampling.temperature", temperature,
                              "it must be finite and at least 0"));
  const float top_p = options.has_top_p() ? options.top_p() : 1;
  QUIRE_RETURN_IF_ERROR(Check(top_p > 0 && top_p <= 1, "sampling.top_p", top_p,
                              "it must be above 0 and at most 1"));
  const float min_p = options.min_p();
  QUIRE_RETURN_IF_ERROR(Check(min_p >= 0 && min_p <= 1, "sampling.min_p", min_p,
                              "it must be from 0 to 1"));

  // Greedy choice looks at the best token alone.
  const bool greedy = temperature == 0;
  const bool top_k_is_all = options.top_k() >= vocabulary_size;
  sampling->set_temperature(greedy ? 0 : temperature);
  sampling->set_top_k(
      greedy || top_k_is_all ? 0 : static_cast<int32_t>(options.top_k()));
  sampling->set_top_p(greedy ? 1 : top_p);
  sampling->set_min_p(greedy ? 0 : min_p);
  return absl::OkStatus();
}

absl::Status ResolvePenalties(const v1::SamplingOptions& options,
                              worker::v1::Sampling* sampling) {
  const float repetition =
      options.has_repetition_penalty() ? options.repetition_penalty() : 1;
  QUIRE_RETURN_IF_ERROR(Check(repetition > 0 && std::isfinite(repetition),
                              "sampling.repetition_penalty", repetition,
                              "it must be finite and above 0"));
  QUIRE_RETURN_IF_ERROR(
      CheckPenalty("sampling.presence_penalty", options.presence_penalty()));
  QUIRE_RETURN_IF_ERROR(
      CheckPenalty("sampling.frequency_penalty", options.frequency_penalty()));
  sampling->set_repetition_penalty(repetition);
  sampling->set_presence_penalty(options.presence_penalty());
  sampling->set_frequency_penalty(options.frequency_penalty());
  return absl::OkStatus();
}

absl::Status ResolveBiases(const v1::SamplingOptions& options,
                           uint32_t vocabulary_size,
                           worker::v1::Sampling* sampling) {
  QUIRE_RETURN_IF_ERROR(
      CheckCount("sampling.logit_bias", options.logit_bias_size(), kMaxBiases));
  // Protobuf's maps have no order; one request must always make the same plan
  // and the same message.
  const std::map<Token, float> biases(options.logit_bias().begin(),
                                      options.logit_bias().end());
  for (const auto& [token, bias] : biases) {
    const std::string field = absl::StrCat("sampling.logit_bias[", token, "]");
    if (!IsInVocabulary(token, vocabulary_size))
      return absl::InvalidArgumentError(absl::StrCat(
          field,
          " names no token; ids are at least 0 and below the vocabulary size, ",
          vocabulary_size));
    QUIRE_RETURN_IF_ERROR(Check(std::abs(bias) <= kMaxBias, field, bias,
                                "it must be from -100 to 100"));
    sampling->add_bias_tokens(token);
    sampling->add_bias_values(bias);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<worker::v1::Sampling> ResolveSampling(
    const v1::SamplingOptions& options, uint32_t vocabulary_size,
    uint64_t random_seed) {
  worker::v1::Sampling sampling;
  QUIRE_RETURN_IF_ERROR(
      ResolveDistribution(options, vocabulary_size, &sampling));
  QUIRE_RETURN_IF_ERROR(ResolvePenalties(options, &sampling));
  QUIRE_RETURN_IF_ERROR(ResolveBiases(options, vocabulary_size, &sampling));
  QUIRE_RETURN_IF_ERROR(
      CheckStrings("sampling.bad_words", options.bad_words()));
  sampling.set_seed(options.has_seed() ? options.seed() : random_seed);
  return sampling;
}

}  // namespace quire
