#include "scheduler/frontend/request_builder.h"

#include <memory>
#include <utility>

#include "common/status_macros.h"
#include "scheduler/frontend/prompt_validation.h"
#include "scheduler/frontend/request_validation.h"
#include "scheduler/frontend/text_output_filter.h"

namespace quire {
namespace {

// Absent means true.
Tokenizer::EncodeOptions EncodeOptionsOf(const v1::GenerateRequest& request) {
  return {
      .parse_special = !request.has_parse_special() || request.parse_special(),
      .add_special = !request.has_add_special() || request.add_special()};
}

TextOutputFilter::Options FilterOptionsOf(const v1::GenerateRequest& request) {
  const v1::StoppingOptions& stopping = request.stopping();
  return {.stop = {stopping.stop().begin(), stopping.stop().end()},
          .include_stop = request.output().include_stop(),
          .min_tokens = stopping.min_tokens()};
}

}  // namespace

RequestBuilder::RequestBuilder(const Tokenizer* tokenizer,
                               const PromptEncoder* encoder,
                               const ModelLimits* limits)
    : tokenizer_(tokenizer), encoder_(encoder), limits_(limits) {}

absl::StatusOr<GenerationRequest> RequestBuilder::Resolve(
    const v1::GenerateRequest& request, uint64_t random_seed) const {
  if (request.has_chat()) QUIRE_RETURN_IF_ERROR(encoder_->chat_support());
  return ResolveRequest(request, *limits_, random_seed);
}

size_t RequestBuilder::NumTextBytes(const v1::GenerateRequest& request) {
  size_t num_bytes = request.text().size() + ChatBytes(request.chat());
  for (const std::string& word : request.sampling().bad_words())
    num_bytes += 3 * word.size();
  return num_bytes;
}

absl::Status RequestBuilder::Encode(const v1::GenerateRequest& request,
                                    GenerationRequest* resolved) const {
  QUIRE_ASSIGN_OR_RETURN(std::vector<Token> prompt, EncodePrompt(request));
  QUIRE_RETURN_IF_ERROR(
      AddPrompt(request, *limits_, std::move(prompt), resolved));
  QUIRE_ASSIGN_OR_RETURN(
      const std::vector<worker::v1::TokenList> bad_words,
      encoder_->EncodeBadWords(request.sampling().bad_words()));
  resolved->sampling.mutable_bad_words()->Assign(bad_words.begin(),
                                                 bad_words.end());
  for (uint32_t i = 0; i < resolved->num_sequences; ++i) {
    resolved->filters.push_back(std::make_unique<TextOutputFilter>(
        tokenizer_, FilterOptionsOf(request)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Token>> RequestBuilder::EncodePrompt(
    const v1::GenerateRequest& request) const {
  if (request.has_text())
    return encoder_->EncodeText(request.text(), EncodeOptionsOf(request));
  if (request.has_token_ids()) {
    const auto& ids = request.token_ids().ids();
    return std::vector<Token>(ids.begin(), ids.end());
  }
  QUIRE_ASSIGN_OR_RETURN(PromptEncoder::RenderedChat chat,
                         encoder_->EncodeChat(request.chat()));
  return std::move(chat.tokens);
}

}  // namespace quire
