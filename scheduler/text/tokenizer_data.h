#ifndef QUIRE_SCHEDULER_TEXT_TOKENIZER_DATA_H_
#define QUIRE_SCHEDULER_TEXT_TOKENIZER_DATA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/ids.h"

namespace quire {

// One way of cutting text into words.
struct SplitStep {
  // What becomes of a match: a word of its own, nothing, one word with
  // neighbouring matches, or a part of the word before or after it. What lies
  // between matches is a word.
  enum class Behavior {
    kIsolated,
    kRemoved,
    kContiguous,
    kMergedWithPrevious,
    kMergedWithNext
  };
  std::string pattern;
  bool is_literal = false;  // The pattern is a text, not a regular expression.
  Behavior behavior = Behavior::kIsolated;
  bool invert = false;  // Matches and what lies between them change places.
};

// A token that is looked up in the text before anything is cut or merged.
struct SpecialToken {
  std::string text;
  Token id = 0;
  bool is_control =
      true;  // Only recognised where special tokens are; others always.
  bool is_normalized = false;  // Looked up after the text has been normalized.
  bool strips_left = false;    // Takes the whitespace before it along.
  bool strips_right = false;   // And that after it.
  bool single_word = false;    // Not beside a word character.
};

// All that a model's files say about its tokenizer, whichever form they have.
// Plain data.
struct TokenizerData {
  enum class Kind {
    kByteLevel,      // Words are merged from bytes (GPT-2).
    kSentencePiece,  // Text is merged from characters, spaces belong to words
                     // (Llama 2). Rare characters fall to bytes.
  };
  enum class TokenType : uint8_t {
    kAbsent,
    kNormal,
    kUnknown,
    kControl,
    kUserDefined,
    kByte
  };

  struct Entry {
    std::string
        bytes;  // What the token stands for; of a special token, its text.
    TokenType type = TokenType::kAbsent;
  };
  struct Merge {
    Token left = 0;
    Token right = 0;
    Token result = 0;
  };
  // Whether a space is put before the text (SentencePiece): before the whole,
  // or also before what follows a special token.
  enum class SpacePrefix { kNever, kFirst, kAlways };

  Kind kind = Kind::kByteLevel;
  std::vector<Entry> tokens;  // By id.
  std::vector<Merge> merges;  // Best first.
  // In place of merges (SentencePiece): any two symbols merge whose
  // concatenation is a token, highest score first. By id.
  std::vector<float> scores;
  bool ignore_merges =
      false;  // A word that is a token is that token, whatever the merges say.

  bool normalizes_nfc = false;
  std::vector<SplitStep> splits;

  SpacePrefix space_prefix = SpacePrefix::kNever;
  bool prefix_only_where_missing = false;  // No second space before a space.
  bool splits_at_spaces = false;           // Each space begins a word.
  std::optional<Token> unknown_token;      // For what no token stands for.
  bool fuses_unknown = false;              // One for several in a row.

  std::vector<SpecialToken> special_tokens;
  std::vector<Token> prefix;  // Added by the model's own rule.
  std::vector<Token> suffix;
  std::optional<Token> bos_token_id;
  std::vector<Token> eos_token_ids;  // The model's end-of-sequence token first.
  std::string chat_template;

  // INVALID_ARGUMENT names the field, its value and the limit: ids within the
  // vocabulary, lengths that agree, at most 2^22 tokens of at most 4096 bytes,
  // special tokens not empty and valid UTF-8.
  absl::Status Validate() const;
};

// Adds to eos_token_ids the control tokens that are known by name to end a turn
// or a text, such as <|im_end|>.
void AddWellKnownEndTokens(TokenizerData* data);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_TOKENIZER_DATA_H_
