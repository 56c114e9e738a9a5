#ifndef QUIRE_SCHEDULER_TEXT_BPE_TOKENIZER_H_
#define QUIRE_SCHEDULER_TEXT_BPE_TOKENIZER_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scheduler/text/run_encoder.h"
#include "scheduler/text/special_token_matcher.h"
#include "scheduler/text/tokenizer.h"
#include "scheduler/text/tokenizer_data.h"

namespace quire {

// A tokenizer made of parts: special tokens are found first, the plain text
// between them is normalized and goes through byte pair encoding of one kind or
// the other. Immutable, thread-safe.
class BpeTokenizer final : public Tokenizer {
 public:
  // INVALID_ARGUMENT, UNIMPLEMENTED: as TokenizerData::Validate and the
  // encoders say.
  static absl::StatusOr<std::unique_ptr<Tokenizer>> Create(TokenizerData data);

  absl::StatusOr<std::vector<Token>> Encode(
      std::string_view text, const EncodeOptions& options) const override;
  absl::StatusOr<std::vector<Token>> EncodeSegments(
      const std::vector<TextSegment>& segments) const override;

  std::string_view TokenBytes(Token token) const override;
  bool IsControl(Token token) const override;
  int vocabulary_size() const override {
    return static_cast<int>(data_.tokens.size());
  }
  const std::vector<Token>& eos_token_ids() const override {
    return data_.eos_token_ids;
  }
  std::optional<Token> bos_token_id() const override {
    return data_.bos_token_id;
  }
  bool strips_leading_space() const override;
  const std::string& chat_template() const override {
    return data_.chat_template;
  }

 private:
  // Builds the tokens of a chat, segment by segment.
  class ChatPass;

  explicit BpeTokenizer(TokenizerData data);

  // Text between special tokens that are looked up before the text is
  // normalized.
  absl::Status EncodeRun(std::string_view run, bool at_start, bool with_control,
                         std::vector<Token>* out) const;
  absl::Status EncodeNormalized(std::string_view run, bool at_start,
                                bool with_control,
                                std::vector<Token>* out) const;

  const TokenizerData data_;
  const SpecialTokenMatcher raw_matcher_;
  const SpecialTokenMatcher normalized_matcher_;
  std::unique_ptr<RunEncoder> encoder_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_BPE_TOKENIZER_H_
