#ifndef QUIRE_SCHEDULER_FRONTEND_PROMPT_ENCODER_H_
#define QUIRE_SCHEDULER_FRONTEND_PROMPT_ENCODER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/ids.h"
#include "google/protobuf/repeated_field.h"
#include "quire/v1/quire.pb.h"
#include "quire/worker/v1/plan.pb.h"
#include "scheduler/text/chat_template.h"
#include "scheduler/text/tokenizer.h"

namespace quire {

// Makes tokens of what clients write: texts, chats and bad words. Takes time in
// proportion to the text. Immutable, thread-safe; owns neither tokenizer nor
// template.
class PromptEncoder {
 public:
  // `chat_template` null: chats are refused because of `chat_refusal`. Token
  // ids of `vocabulary_size` and above, which a tokenizer may know and a model
  // have no row for, are refused.
  PromptEncoder(const Tokenizer* tokenizer, const ChatTemplate* chat_template,
                absl::Status chat_refusal, uint32_t vocabulary_size);

  // OK, or why chats are refused: UNIMPLEMENTED where the refusal has no code
  // of its own.
  const absl::Status& chat_support() const { return chat_support_; }

  // INVALID_ARGUMENT as Tokenizer::Encode.
  absl::StatusOr<std::vector<Token>> EncodeText(
      std::string_view text, const Tokenizer::EncodeOptions& options) const;

  struct RenderedChat {
    std::string text;
    std::vector<Token> tokens;
  };
  // INVALID_ARGUMENT: roles that the template refuses. Without a template
  // chat_support().
  absl::StatusOr<RenderedChat> EncodeChat(const v1::Chat& chat) const;

  // The distinct token strings that the tokenizer makes of each word: alone,
  // after a space and after a line break. Byte-level tokenizers write the first
  // and the last alike; SentencePiece puts a space before a text, so that only
  // the last shows a word that continues another.
  absl::StatusOr<std::vector<worker::v1::TokenList>> EncodeBadWords(
      const google::protobuf::RepeatedPtrField<std::string>& words) const;

 private:
  // `before` is part of the tokens, unless it is a line break.
  absl::StatusOr<std::vector<Token>> EncodeAfter(const std::string& before,
                                                 const std::string& word) const;
  absl::StatusOr<std::vector<Token>> Checked(
      absl::StatusOr<std::vector<Token>> tokens) const;

  const Tokenizer* const tokenizer_;
  const ChatTemplate* const chat_template_;
  const absl::Status chat_support_;
  const uint32_t vocabulary_size_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_PROMPT_ENCODER_H_
