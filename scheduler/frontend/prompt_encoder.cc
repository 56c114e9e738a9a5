#include "scheduler/frontend/prompt_encoder.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "scheduler/frontend/list_validation.h"

namespace quire {
namespace {

// Unlike a space it never belongs to the word behind it.
constexpr char kLineBreak[] = "\n";

absl::Status OfChat(const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("chat: ", status.message()));
}

absl::Status ChatSupport(const ChatTemplate* chat_template,
                         const absl::Status& refusal) {
  if (chat_template != nullptr) return absl::OkStatus();
  return OfChat(refusal.ok() ? absl::UnimplementedError(
                                   "this server has no chat template")
                             : refusal);
}

std::vector<ChatTurn> TurnsOf(const v1::Chat& chat) {
  std::vector<ChatTurn> turns;
  turns.reserve(chat.messages_size());
  for (const v1::ChatMessage& message : chat.messages())
    turns.push_back({message.role(), message.content()});
  return turns;
}

}  // namespace

PromptEncoder::PromptEncoder(const Tokenizer* tokenizer,
                             const ChatTemplate* chat_template,
                             absl::Status chat_refusal,
                             uint32_t vocabulary_size)
    : tokenizer_(tokenizer),
      chat_template_(chat_template),
      chat_support_(ChatSupport(chat_template, chat_refusal)),
      vocabulary_size_(vocabulary_size) {}

absl::StatusOr<std::vector<Token>> PromptEncoder::EncodeText(
    std::string_view text, const Tokenizer::EncodeOptions& options) const {
  return Checked(tokenizer_->Encode(text, options));
}

absl::StatusOr<PromptEncoder::RenderedChat> PromptEncoder::EncodeChat(
    const v1::Chat& chat) const {
  QUIRE_RETURN_IF_ERROR(chat_support_);
  const bool add_generation_prompt =
      !chat.has_add_generation_prompt() || chat.add_generation_prompt();
  const absl::StatusOr<std::vector<TextSegment>> segments =
      chat_template_->Render(TurnsOf(chat), add_generation_prompt);
  if (!segments.ok()) return OfChat(segments.status());
  RenderedChat rendered;
  for (const TextSegment& segment : *segments) rendered.text += segment.text;
  QUIRE_ASSIGN_OR_RETURN(rendered.tokens,
                         Checked(tokenizer_->EncodeSegments(*segments)));
  return rendered;
}

absl::StatusOr<std::vector<worker::v1::TokenList>>
PromptEncoder::EncodeBadWords(
    const google::protobuf::RepeatedPtrField<std::string>& words) const {
  std::set<std::vector<Token>> distinct;
  for (int i = 0; i < words.size(); ++i) {
    for (const char* before : {"", " ", kLineBreak}) {
      absl::StatusOr<std::vector<Token>> tokens = EncodeAfter(before, words[i]);
      if (!tokens.ok()) return tokens.status();
      if (tokens->empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("sampling.bad_words[", i, "] makes no tokens"));
      }
      distinct.insert(*std::move(tokens));
    }
  }
  std::vector<worker::v1::TokenList> lists;
  for (const std::vector<Token>& tokens : distinct)
    lists.emplace_back().mutable_tokens()->Assign(tokens.begin(), tokens.end());
  return lists;
}

absl::StatusOr<std::vector<Token>> PromptEncoder::EncodeAfter(
    const std::string& before, const std::string& word) const {
  absl::StatusOr<std::vector<Token>> tokens =
      EncodeText(before + word, {.add_special = false});
  if (!tokens.ok() || before != kLineBreak) return tokens;
  const absl::StatusOr<std::vector<Token>> line_break =
      EncodeText(before, {.add_special = false});
  if (!line_break.ok()) return line_break;
  // Unless the two have merged, the word's own tokens are what is left.
  const auto [rest, end] = std::mismatch(
      tokens->begin(), tokens->end(), line_break->begin(), line_break->end());
  if (end == line_break->end()) tokens->erase(tokens->begin(), rest);
  return tokens;
}

absl::StatusOr<std::vector<Token>> PromptEncoder::Checked(
    absl::StatusOr<std::vector<Token>> tokens) const {
  if (!tokens.ok()) return tokens;
  for (Token token : *tokens) {
    if (IsInVocabulary(token, vocabulary_size_)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the text has token ", token,
                     ", which the tokenizer knows and the model does not; its "
                     "vocabulary size is ",
                     vocabulary_size_));
  }
  return tokens;
}

}  // namespace quire
