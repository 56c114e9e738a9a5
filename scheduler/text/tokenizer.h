#ifndef QUIRE_SCHEDULER_TEXT_TOKENIZER_H_
#define QUIRE_SCHEDULER_TEXT_TOKENIZER_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/ids.h"
#include "common/modelfile/model_files.h"

namespace quire {

// A piece of a rendered prompt. Only control segments are looked up among the
// special tokens.
struct TextSegment {
  enum class Kind { kText, kControl };
  Kind kind = Kind::kText;
  std::string text;
  friend bool operator==(const TextSegment&, const TextSegment&) = default;
};

// Turns text into token ids and back, as the model was trained to. Immutable,
// thread-safe.
class Tokenizer {
 public:
  // From GGUF metadata or from the folder's tokenizer.json (and
  // tokenizer_config.json). INVALID_ARGUMENT: the data is broken; UNIMPLEMENTED
  // names a kind of tokenizer or pre-tokenizer that is not known.
  static absl::StatusOr<std::unique_ptr<Tokenizer>> Load(
      const ModelFiles& files);
  virtual ~Tokenizer() = default;

  struct EncodeOptions {
    bool parse_special =
        true;  // Special tokens written out in the text are recognised.
    bool add_special = true;  // The model's own rule adds beginning-of-sequence
                              // (and the like).
  };
  // `text` is valid UTF-8. INVALID_ARGUMENT: a run that the splitting pattern
  // cannot digest within its limits.
  virtual absl::StatusOr<std::vector<Token>> Encode(
      std::string_view text, const EncodeOptions& options) const = 0;

  // Of a rendered chat: neighbouring text segments are one run, as if they had
  // been one string; control segments are special tokens; nothing in a text
  // segment can become one. No token is added.
  virtual absl::StatusOr<std::vector<Token>> EncodeSegments(
      const std::vector<TextSegment>& segments) const = 0;

  // The bytes that a token stands for; they may end or begin inside a UTF-8
  // character. Empty for ids without text. REQUIRES: 0 <= token <
  // vocabulary_size().
  virtual std::string_view TokenBytes(Token token) const = 0;
  // Control tokens (<|im_end|> and the like), which a generated stream does not
  // show.
  virtual bool IsControl(Token token) const = 0;

  virtual int vocabulary_size() const = 0;
  // Special tokens that end a turn or a text (EOS, EOT), for generation to stop
  // at. May add to ModelConfig's.
  virtual const std::vector<Token>& eos_token_ids() const = 0;
  virtual std::optional<Token> bos_token_id() const = 0;
  // The first token of a decoded text loses the space that SentencePiece puts
  // before the first word.
  virtual bool strips_leading_space() const = 0;
  // The model's Jinja template; empty where it has none.
  virtual const std::string& chat_template() const = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_TOKENIZER_H_
