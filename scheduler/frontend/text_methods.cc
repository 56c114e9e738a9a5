#include "scheduler/frontend/text_methods.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "scheduler/frontend/list_validation.h"
#include "scheduler/frontend/prompt_validation.h"
#include "scheduler/text/detokenizer.h"

namespace quire {
namespace {

absl::Status CheckInput(const v1::TokenizeRequest& request,
                        const PromptEncoder& encoder) {
  switch (request.input_case()) {
    case v1::TokenizeRequest::kText:
      return absl::OkStatus();
    case v1::TokenizeRequest::kChat:
      QUIRE_RETURN_IF_ERROR(encoder.chat_support());
      return CheckChat(request.chat());
    case v1::TokenizeRequest::INPUT_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(
      "input is not set; it must be one of text and chat");
}

}  // namespace

absl::Status CheckTokenize(const v1::TokenizeRequest& request,
                           const PromptEncoder& encoder) {
  QUIRE_RETURN_IF_ERROR(CheckInput(request, encoder));
  const size_t num_bytes = NumTextBytes(request);
  if (num_bytes <= kMaxTokenizeBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(request.has_text() ? "text" : "chat", " has ", num_bytes,
                   " bytes; it must have at most ", kMaxTokenizeBytes));
}

size_t NumTextBytes(const v1::TokenizeRequest& request) {
  return request.text().size() + ChatBytes(request.chat());
}

absl::StatusOr<v1::TokenizeResponse> Tokenize(
    const v1::TokenizeRequest& request, const PromptEncoder& encoder) {
  v1::TokenizeResponse response;
  std::vector<Token> tokens;
  if (request.has_text()) {
    // Absent means true.
    const Tokenizer::EncodeOptions options = {
        .parse_special =
            !request.has_parse_special() || request.parse_special(),
        .add_special = !request.has_add_special() || request.add_special()};
    QUIRE_ASSIGN_OR_RETURN(tokens, encoder.EncodeText(request.text(), options));
  } else {
    QUIRE_ASSIGN_OR_RETURN(PromptEncoder::RenderedChat chat,
                           encoder.EncodeChat(request.chat()));
    response.set_rendered(std::move(chat.text));
    tokens = std::move(chat.tokens);
  }
  response.mutable_ids()->Assign(tokens.begin(), tokens.end());
  return response;
}

absl::Status CheckDetokenize(const v1::DetokenizeRequest& request,
                             const ModelLimits& limits) {
  QUIRE_RETURN_IF_ERROR(
      CheckCount("ids", request.ids_size(), kMaxDetokenizeIds));
  return CheckTokenIds("ids", request.ids(), limits.vocabulary_size);
}

v1::DetokenizeResponse Detokenize(const v1::DetokenizeRequest& request,
                                  const Tokenizer& tokenizer) {
  Detokenizer detokenizer(&tokenizer, Detokenizer::ControlTokens::kShow);
  std::string text;
  for (Token token : request.ids()) {
    // A model's vocabulary may be padded beyond the tokenizer's; those ids have
    // no text.
    if (token < tokenizer.vocabulary_size()) text += detokenizer.Append(token);
  }
  text += detokenizer.Flush();
  v1::DetokenizeResponse response;
  response.set_text(std::move(text));
  return response;
}

}  // namespace quire
