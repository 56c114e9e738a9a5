#ifndef QUIRE_SCHEDULER_ENGINE_OUTPUT_FILTER_H_
#define QUIRE_SCHEDULER_ENGINE_OUTPUT_FILTER_H_

#include <optional>
#include <string>

#include "common/ids.h"

namespace quire {

// Turns the tokens of one sequence into the text that its client sees, and
// finds stop strings. The engine knows text only through it. Called by the
// engine thread, so every call is short.
class OutputFilter {
 public:
  virtual ~OutputFilter() = default;

  struct Output {
    std::string text;                 // New text, whole UTF-8 characters.
    std::optional<std::string> stop;  // The stop string that `token` completed:
                                      // the sequence ends here.
  };
  // `ends`: the token is one of the request's stop tokens; whether its own text
  // is shown is the filter's affair.
  virtual Output Append(Token token, bool ends) = 0;

  // At the end of a sequence that no stop string ended: the text still held
  // back.
  virtual std::string Finish() = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_OUTPUT_FILTER_H_
