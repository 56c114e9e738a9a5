#ifndef QUIRE_SCHEDULER_FRONTEND_TEXT_OUTPUT_FILTER_H_
#define QUIRE_SCHEDULER_FRONTEND_TEXT_OUTPUT_FILTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/engine/output_filter.h"
#include "scheduler/text/detokenizer.h"
#include "scheduler/text/stop_matcher.h"
#include "scheduler/text/tokenizer.h"

namespace quire {

// The text of one sequence as its client sees it: bytes are held back until
// they are whole characters, text while it may be the beginning of a stop
// string. Control tokens are not shown, except the one that ends the sequence
// where `include_stop` asks for it. Does not own the tokenizer.
class TextOutputFilter final : public OutputFilter {
 public:
  struct Options {
    std::vector<std::string> stop;  // None empty.
    // Shows the stop string or the stop token's text.
    bool include_stop = false;
    // Only the text of this token, counted from 1, and of later ones is
    // searched for stop strings.
    uint32_t min_tokens = 0;
  };
  TextOutputFilter(const Tokenizer* tokenizer, const Options& options);

  Output Append(Token token, bool ends) override;
  std::string Finish() override;

 private:
  // What a token that ends the sequence adds to the text.
  std::string StopTokenText(Token token);

  const Tokenizer* const tokenizer_;
  const bool include_stop_;
  const uint32_t min_tokens_;
  uint32_t num_tokens_ = 0;
  Detokenizer detokenizer_;
  StopMatcher matcher_;
  std::string stop_token_text_;  // Shown last, behind what is held back.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_TEXT_OUTPUT_FILTER_H_
