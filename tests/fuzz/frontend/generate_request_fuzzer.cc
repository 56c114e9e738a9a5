// Whatever a client sends as a GenerateRequest is refused with a reason or
// becomes a request that the engine may rely on.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "common/check.h"
#include "common/grpc_status.h"
#include "quire/v1/quire.pb.h"
#include "scheduler/frontend/request_builder.h"
#include "tests/scheduler/frontend/byte_tokenizer.h"

namespace quire {
namespace {

using ::quire::testing::ByteTokenizer;
using ::quire::testing::TurnTemplate;

struct Environment {
  ByteTokenizer tokenizer;
  TurnTemplate chat_template;
  const ModelLimits limits = {
      .vocabulary_size = ByteTokenizer::kVocabularySize + 5,
      .context_length = 200,
      .longest_token_bytes = 6,
      .eos_token_ids = {ByteTokenizer::kEos}};
  const PromptEncoder encoder{&tokenizer, &chat_template, absl::OkStatus(),
                              limits.vocabulary_size};
  const RequestBuilder builder{&tokenizer, &encoder, &limits};
};

void CheckRefusal(const absl::Status& status) {
  QUIRE_CHECK(absl::IsInvalidArgument(status));
  QUIRE_CHECK(!status.message().empty());
  QUIRE_CHECK(ToGrpcStatus(status).error_message().size() <=
              kMaxStatusMessageBytes);
}

void CheckTokens(const auto& tokens, const ModelLimits& limits) {
  for (Token token : tokens)
    QUIRE_CHECK(token >= 0 &&
                static_cast<uint32_t>(token) < limits.vocabulary_size);
}

void CheckSampling(const worker::v1::Sampling& sampling,
                   const ModelLimits& limits) {
  QUIRE_CHECK(sampling.temperature() >= 0 &&
              std::isfinite(sampling.temperature()));
  QUIRE_CHECK(sampling.top_k() >= 0);
  QUIRE_CHECK(sampling.top_p() > 0 && sampling.top_p() <= 1);
  QUIRE_CHECK(sampling.min_p() >= 0 && sampling.min_p() <= 1);
  QUIRE_CHECK(sampling.repetition_penalty() > 0 &&
              std::isfinite(sampling.repetition_penalty()));
  QUIRE_CHECK(sampling.bias_tokens_size() == sampling.bias_values_size());
  QUIRE_CHECK(sampling.top_prompt_logprobs() <= 20);
  CheckTokens(sampling.bias_tokens(), limits);
  CheckTokens(sampling.banned_until_min_tokens(), limits);
  for (float bias : sampling.bias_values()) QUIRE_CHECK(std::abs(bias) <= 100);
  for (const worker::v1::TokenList& word : sampling.bad_words()) {
    QUIRE_CHECK(word.tokens_size() > 0);
    CheckTokens(word.tokens(), limits);
  }
}

void CheckRequest(const GenerationRequest& request, const ModelLimits& limits) {
  QUIRE_CHECK(!request.prompt.empty());
  QUIRE_CHECK(request.max_tokens >= 1);
  QUIRE_CHECK(request.prompt.size() + request.max_tokens <=
              limits.context_length);
  QUIRE_CHECK(request.sampling.min_tokens() <= request.max_tokens);
  QUIRE_CHECK(request.num_returned >= 1 &&
              request.num_returned <= request.num_sequences &&
              request.num_sequences <= 64);
  QUIRE_CHECK(request.filters.size() == request.num_sequences);
  // A search asks for its candidates, too.
  QUIRE_CHECK(request.sampling.top_logprobs() <= (request.beams ? 64 : 20));
  QUIRE_CHECK(request.cache_salt.size() <= 256);
  CheckTokens(request.prompt, limits);
  CheckTokens(request.stop_tokens, limits);
  CheckSampling(request.sampling, limits);
}

// The filter takes every token there is.
void Generate(const GenerationRequest& request, const ModelLimits& limits) {
  OutputFilter& filter = *request.filters.back();
  for (uint32_t token = 0; token < limits.vocabulary_size; ++token) {
    if (filter.Append(static_cast<Token>(token), /*ends=*/false).stop) return;
  }
  filter.Append(ByteTokenizer::kEos, /*ends=*/true);
  filter.Finish();
}

void Run(const v1::GenerateRequest& request) {
  static const auto* const environment = new Environment();
  absl::StatusOr<GenerationRequest> resolved =
      environment->builder.Resolve(request, /*random_seed=*/1);
  if (!resolved.ok()) return CheckRefusal(resolved.status());
  const absl::Status encoded = environment->builder.Encode(request, &*resolved);
  if (!encoded.ok()) return CheckRefusal(encoded);
  CheckRequest(*resolved, environment->limits);
  Generate(*resolved, environment->limits);
}

}  // namespace
}  // namespace quire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  quire::v1::GenerateRequest request;
  if (request.ParseFromArray(data, static_cast<int>(size))) quire::Run(request);
  return 0;
}
