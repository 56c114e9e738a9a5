#include "scheduler/frontend/prompt_validation.h"

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/strings.h"
#include "scheduler/frontend/list_validation.h"

namespace quire {
namespace {

constexpr size_t kMaxMessages = 16384;

absl::Status CheckTextCanFit(std::string_view field, uint64_t num_bytes,
                             const ModelLimits& limits) {
  const uint64_t most =
      uint64_t{limits.context_length} * limits.longest_token_bytes;
  if (num_bytes <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      ToAbsl(field), " has ", num_bytes, " bytes; the context length of ",
      limits.context_length, " tokens, of at most ", limits.longest_token_bytes,
      " bytes each, can hold ", most));
}

}  // namespace

absl::Status CheckPrompt(const v1::GenerateRequest& request,
                         const ModelLimits& limits) {
  switch (request.prompt_case()) {
    case v1::GenerateRequest::kText:
      return CheckTextCanFit("text", request.text().size(), limits);
    case v1::GenerateRequest::kTokenIds:
      QUIRE_RETURN_IF_ERROR(
          CheckPromptLength(request.token_ids().ids_size(), limits));
      return CheckTokenIds("token_ids.ids", request.token_ids().ids(),
                           limits.vocabulary_size);
    case v1::GenerateRequest::kChat:
      QUIRE_RETURN_IF_ERROR(CheckChat(request.chat()));
      return CheckTextCanFit("chat", ChatBytes(request.chat()), limits);
    case v1::GenerateRequest::PROMPT_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(
      "prompt is not set; it must be one of text, token_ids and chat");
}

absl::Status CheckChat(const v1::Chat& chat) {
  if (chat.messages_size() == 0)
    return absl::InvalidArgumentError(
        "chat.messages has 0 entries; it must have at least 1");
  return CheckCount("chat.messages", chat.messages_size(), kMaxMessages);
}

absl::Status CheckPromptLength(size_t num_tokens, const ModelLimits& limits) {
  if (num_tokens == 0)
    return absl::InvalidArgumentError(
        "prompt has 0 tokens; it must have at least 1");
  if (num_tokens < limits.context_length) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("prompt has ", num_tokens,
                   " tokens; it must have fewer than the context length, ",
                   limits.context_length));
}

size_t ChatBytes(const v1::Chat& chat) {
  size_t num_bytes = 0;
  for (const v1::ChatMessage& message : chat.messages())
    num_bytes += message.role().size() + message.content().size();
  return num_bytes;
}

}  // namespace quire
