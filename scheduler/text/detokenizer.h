#ifndef QUIRE_SCHEDULER_TEXT_DETOKENIZER_H_
#define QUIRE_SCHEDULER_TEXT_DETOKENIZER_H_

#include <string>

#include "common/ids.h"
#include "scheduler/text/tokenizer.h"

namespace quire {

// Turns a stream of tokens into a stream of text: each piece is valid UTF-8, and their concatenation loses and repeats no
// character. Holds back at most three bytes, the beginning of a character. Bytes that can never become valid UTF-8 come
// out as U+FFFD. For one sequence; not thread-safe. Does not own the tokenizer.
class Detokenizer {
 public:
  // Whether control tokens are written out (Detokenize) or left out (generated streams).
  enum class ControlTokens { kHide, kShow };
  explicit Detokenizer(const Tokenizer* tokenizer, ControlTokens control = ControlTokens::kHide);

  // The text that `token` completes; may be empty.
  std::string Append(Token token);
  // At the end of the stream: what is held back, as U+FFFD.
  std::string Flush();

 private:
  const Tokenizer* tokenizer_;
  ControlTokens control_;
  bool at_start_ = true;
  std::string carry_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_DETOKENIZER_H_
