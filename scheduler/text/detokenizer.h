#ifndef QUIRE_SCHEDULER_TEXT_DETOKENIZER_H_
#define QUIRE_SCHEDULER_TEXT_DETOKENIZER_H_

#include <string>

#include "common/ids.h"
#include "scheduler/text/tokenizer.h"

namespace quire {

// Turns a stream of tokens into a stream of text: each piece is valid UTF-8,
// and their concatenation loses and repeats no character. Holds back at most
// three bytes, the beginning of a character. Bytes that can never become valid
// UTF-8 come out as U+FFFD, one for each maximal beginning of a character, as
// Python's errors="replace" has it. For one sequence; not thread-safe. Does not
// own the tokenizer.
class Detokenizer {
 public:
  enum class ControlTokens {
    // A generated stream: control tokens are left out. It continues a prompt,
    // so the first word keeps its space.
    kHide,
    // A whole text (Detokenize): they are written out. The space that
    // SentencePiece puts before the first word is
    // taken off.
    kShow,
  };
  explicit Detokenizer(const Tokenizer* tokenizer,
                       ControlTokens control = ControlTokens::kHide);

  // The text that `token` completes; may be empty. REQUIRES: 0 <= token <
  // vocabulary_size().
  std::string Append(Token token);
  // At the end of the stream: what is held back, as U+FFFD.
  std::string Flush();

 private:
  const Tokenizer* tokenizer_;
  ControlTokens control_;
  bool strips_next_space_;
  std::string carry_;  // The beginning of a character.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_DETOKENIZER_H_
