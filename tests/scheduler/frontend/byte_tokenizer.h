#ifndef QUIRE_TESTS_SCHEDULER_FRONTEND_BYTE_TOKENIZER_H_
#define QUIRE_TESTS_SCHEDULER_FRONTEND_BYTE_TOKENIZER_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/text/chat_template.h"
#include "scheduler/text/tokenizer.h"

namespace quire::testing {

// A tokenizer that can be read off the text: token i below 256 is byte i; above
// are three control tokens. Text with byte 1 in it cannot be tokenized.
class ByteTokenizer : public Tokenizer {
 public:
  static constexpr Token kBos = 256;   // "<bos>": put before a text.
  static constexpr Token kEos = 257;   // "<eos>"
  static constexpr Token kTurn = 258;  // "<turn>"
  static constexpr int kVocabularySize = 259;

  absl::StatusOr<std::vector<Token>> Encode(
      std::string_view text, const EncodeOptions& options) const override;
  absl::StatusOr<std::vector<Token>> EncodeSegments(
      const std::vector<TextSegment>& segments) const override;
  std::string_view TokenBytes(Token token) const override;
  bool IsControl(Token token) const override { return token >= kBos; }
  int vocabulary_size() const override { return kVocabularySize; }
  const std::vector<Token>& eos_token_ids() const override {
    return eos_token_ids_;
  }
  std::optional<Token> bos_token_id() const override { return kBos; }
  bool strips_leading_space() const override { return false; }
  const std::string& chat_template() const override { return chat_template_; }

  // Called by every Encode and EncodeSegments, on the thread that tokenizes.
  // Set before the first call.
  std::function<void()> on_encode = [] {};

 private:
  const std::vector<Token> eos_token_ids_ = {kEos};
  const std::string chat_template_;
};

// "<turn>role:content" for each turn, and "<turn>assistant:" at the end. Knows
// the roles user and assistant.
class TurnTemplate final : public ChatTemplate {
 public:
  std::string_view family() const override { return "turns"; }
  absl::StatusOr<std::vector<TextSegment>> Render(
      const std::vector<ChatTurn>& turns,
      bool add_generation_prompt) const override;
};

// The tokens of plain text.
std::vector<Token> Bytes(std::string_view text);

}  // namespace quire::testing

#endif  // QUIRE_TESTS_SCHEDULER_FRONTEND_BYTE_TOKENIZER_H_
