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
    bool include_stop =
        false;                // Shows the stop string or the stop token's text.
    uint32_t min_tokens = 0;  // The text of the tokens before this one, counted
                              // from 1, is not searched.
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
