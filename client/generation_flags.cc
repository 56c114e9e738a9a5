#include "client/generation_flags.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "client/command_line_error.h"
#include "client/connection_flags.h"
#include "client/enum_flags.h"
#include "client/list_flags.h"

namespace quire {
namespace {

// An abseil flag keeps its last value only; this one keeps every value it was
// given, so that texts may contain whatever they like, commas included.
// Setting the flag to its default empties the list.
using RepeatedText = std::vector<std::string>;

void Collect(const std::optional<std::string>& value, RepeatedText& list) {
  if (value.has_value()) {
    list.push_back(*value);
  } else {
    list.clear();
  }
}

RepeatedText& StopTexts() {
  static RepeatedText texts;
  return texts;
}

RepeatedText& BadWords() {
  static RepeatedText texts;
  return texts;
}

}  // namespace
}  // namespace quire

ABSL_FLAG(std::optional<uint32_t>, max_tokens, std::nullopt,
          "Tokens to generate at most. Without it: as many as fit.");
ABSL_FLAG(std::optional<uint32_t>, min_tokens, std::nullopt,
          "Tokens to generate at least before the end of sequence counts.");
ABSL_FLAG(std::optional<std::string>, stop, std::nullopt,
          "A text that ends the generation. Repeat the flag for several.")
    .OnUpdate([] {
      quire::Collect(absl::GetFlag(FLAGS_stop), quire::StopTexts());
    });
ABSL_FLAG(quire::TokenIdList, stop_token_ids, {},
          "Token ids that end the generation: 1,2,3.");
ABSL_FLAG(bool, ignore_eos, false,
          "Goes on past the model's end-of-sequence tokens.");
ABSL_FLAG(bool, include_stop, false,
          "Keeps the stop string or the stop token's text in the output.");

ABSL_FLAG(std::optional<float>, temperature, std::nullopt,
          "How freely tokens are drawn: 0 = always the best one, 1 = as the "
          "model says. Without it: 1.");
ABSL_FLAG(std::optional<uint32_t>, top_k, std::nullopt,
          "Draws from the k most likely tokens; 0 = from all.");
ABSL_FLAG(std::optional<float>, top_p, std::nullopt,
          "Draws from the smallest set of tokens of this probability; 1 = from "
          "all.");
ABSL_FLAG(std::optional<float>, min_p, std::nullopt,
          "Draws from tokens of at least this share of the best one's "
          "probability.");
ABSL_FLAG(std::optional<float>, repetition_penalty, std::nullopt,
          "Above 1: makes tokens seen before less likely.");
ABSL_FLAG(std::optional<float>, presence_penalty, std::nullopt,
          "Subtracted once from the logits of generated tokens.");
ABSL_FLAG(std::optional<float>, frequency_penalty, std::nullopt,
          "Subtracted from a token's logit for each time it was generated.");
ABSL_FLAG(quire::LogitBiasList, logit_bias, {},
          "Added to the logits of tokens: ID:VALUE,ID:VALUE.");
ABSL_FLAG(std::optional<std::string>, bad_words, std::nullopt,
          "A text that is never generated. Repeat the flag for several.")
    .OnUpdate([] {
      quire::Collect(absl::GetFlag(FLAGS_bad_words), quire::BadWords());
    });
ABSL_FLAG(std::optional<uint64_t>, seed, std::nullopt,
          "The same seed gives the same tokens; without it they are random. To "
          "simulate and plan: the same trace; without it, that of 1.");

ABSL_FLAG(std::optional<uint32_t>, n, std::nullopt,
          "Sequences to return; they share the prompt's memory. Several are "
          "shown when all have ended, unless --json shows them as they come.");
ABSL_FLAG(std::optional<uint32_t>, best_of, std::nullopt,
          "Sequences to generate, of which the best n are returned.");
ABSL_FLAG(std::optional<uint32_t>, beam_width, std::nullopt,
          "Beam search with so many beams: the n likeliest continuations.");
ABSL_FLAG(std::optional<float>, length_penalty, std::nullopt,
          "Of a beam search: above 0 favours longer texts. Without it: 1.");
ABSL_FLAG(std::optional<quire::v1::EarlyStopping>, early_stopping, std::nullopt,
          "Of a beam search, when it ends: true, with as many texts as beams; "
          "false, when no beam looks better than these; never, when none can "
          "become better. Without it: false.");
ABSL_FLAG(std::optional<quire::v1::Priority>, priority, std::nullopt,
          "low, normal or high: those that wait are served in the order of "
          "their arrival, high ones with a head start, low ones with a "
          "handicap. Without it: normal.");
ABSL_FLAG(std::optional<uint32_t>, kv_budget_tokens, std::nullopt,
          "Prompt and generated tokens of all sequences together, at most; the "
          "generation ends there.");
ABSL_FLAG(std::string, cache_salt, "",
          "Computed prefixes are shared only with requests of the same salt.");
ABSL_FLAG(bool, cache_bypass, false,
          "Neither uses computed prefixes nor leaves any.");

ABSL_FLAG(std::optional<uint32_t>, logprobs, std::nullopt,
          "With --json: the log-probability of each token and of this many of "
          "the best alternatives.");
ABSL_FLAG(std::optional<uint32_t>, prompt_logprobs, std::nullopt,
          "With --json: the same for each token of the prompt.");
ABSL_FLAG(std::string, request_id, "",
          "A name for the server's logs and for quire status.");

namespace quire {
namespace {

// Calls `set` with the flag's value where the flag was given.
template <typename T, typename Set>
void IfGiven(const absl::Flag<std::optional<T>>& flag, Set set) {
  if (const std::optional<T> value = absl::GetFlag(flag)) set(*value);
}

void SetSampling(quire::v1::SamplingOptions& sampling) {
  IfGiven(FLAGS_temperature, [&](float v) { sampling.set_temperature(v); });
  IfGiven(FLAGS_top_k, [&](uint32_t v) { sampling.set_top_k(v); });
  IfGiven(FLAGS_top_p, [&](float v) { sampling.set_top_p(v); });
  IfGiven(FLAGS_min_p, [&](float v) { sampling.set_min_p(v); });
  IfGiven(FLAGS_repetition_penalty,
          [&](float v) { sampling.set_repetition_penalty(v); });
  IfGiven(FLAGS_presence_penalty,
          [&](float v) { sampling.set_presence_penalty(v); });
  IfGiven(FLAGS_frequency_penalty,
          [&](float v) { sampling.set_frequency_penalty(v); });
  IfGiven(FLAGS_seed, [&](uint64_t v) { sampling.set_seed(v); });
  for (const auto& [id, value] : absl::GetFlag(FLAGS_logit_bias).bias) {
    (*sampling.mutable_logit_bias())[id] = value;
  }
  for (const std::string& text : BadWords()) sampling.add_bad_words(text);
}

void SetStopping(quire::v1::StoppingOptions& stopping) {
  IfGiven(FLAGS_max_tokens, [&](uint32_t v) { stopping.set_max_tokens(v); });
  IfGiven(FLAGS_min_tokens, [&](uint32_t v) { stopping.set_min_tokens(v); });
  for (const std::string& text : StopTexts()) stopping.add_stop(text);
  for (const Token id : absl::GetFlag(FLAGS_stop_token_ids).ids) {
    stopping.add_stop_token_ids(id);
  }
  if (absl::GetFlag(FLAGS_ignore_eos)) stopping.set_ignore_eos(true);
}

void SetOutput(quire::v1::OutputOptions& output) {
  IfGiven(FLAGS_logprobs, [&](uint32_t v) { output.set_logprobs(v); });
  IfGiven(FLAGS_prompt_logprobs,
          [&](uint32_t v) { output.set_prompt_logprobs(v); });
  if (absl::GetFlag(FLAGS_include_stop)) output.set_include_stop(true);
}

void SetBeams(quire::v1::GenerateRequest& request) {
  IfGiven(FLAGS_beam_width,
          [&](uint32_t v) { request.mutable_beams()->set_beam_width(v); });
  IfGiven(FLAGS_length_penalty,
          [&](float v) { request.mutable_beams()->set_length_penalty(v); });
  IfGiven(FLAGS_early_stopping, [&](v1::EarlyStopping v) {
    request.mutable_beams()->set_early_stopping(v);
  });
}

void SetCache(quire::v1::CacheOptions& cache) {
  cache.set_salt(absl::GetFlag(FLAGS_cache_salt));
  cache.set_bypass(absl::GetFlag(FLAGS_cache_bypass));
}

absl::Status CheckOutput(const quire::v1::OutputOptions& output) {
  const bool scores = output.has_logprobs() || output.has_prompt_logprobs();
  if (!scores || JsonFromFlags()) return absl::OkStatus();
  return CommandLineError(
      "--logprobs and --prompt_logprobs are only shown with --json");
}

}  // namespace

std::vector<std::string> GenerationFlagNames() {
  return {"max_tokens",
          "min_tokens",
          "stop",
          "stop_token_ids",
          "ignore_eos",
          "include_stop",
          "temperature",
          "top_k",
          "top_p",
          "min_p",
          "seed",
          "repetition_penalty",
          "presence_penalty",
          "frequency_penalty",
          "logit_bias",
          "bad_words",
          "n",
          "best_of",
          "beam_width",
          "length_penalty",
          "early_stopping",
          "priority",
          "kv_budget_tokens",
          "cache_salt",
          "cache_bypass",
          "logprobs",
          "prompt_logprobs",
          "request_id"};
}

absl::Status SetOptionsFromFlags(quire::v1::GenerateRequest& request) {
  SetSampling(*request.mutable_sampling());
  SetStopping(*request.mutable_stopping());
  SetOutput(*request.mutable_output());
  SetCache(*request.mutable_cache());
  SetBeams(request);
  IfGiven(FLAGS_n, [&](uint32_t v) { request.set_n(v); });
  IfGiven(FLAGS_best_of, [&](uint32_t v) { request.set_best_of(v); });
  IfGiven(FLAGS_priority, [&](v1::Priority v) { request.set_priority(v); });
  IfGiven(FLAGS_kv_budget_tokens,
          [&](uint32_t v) { request.set_kv_budget_tokens(v); });
  request.set_request_id(absl::GetFlag(FLAGS_request_id));
  return CheckOutput(request.output());
}

}  // namespace quire
