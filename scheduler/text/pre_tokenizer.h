#ifndef QUIRE_SCHEDULER_TEXT_PRE_TOKENIZER_H_
#define QUIRE_SCHEDULER_TEXT_PRE_TOKENIZER_H_

#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "scheduler/text/split_pattern.h"
#include "scheduler/text/tokenizer_data.h"

namespace quire {

// Cuts text into words, across whose borders nothing merges, by one step after
// another: each step cuts the pieces of the step before. Immutable,
// thread-safe.
class PreTokenizer {
 public:
  // Errors are those of SplitPattern.
  static absl::StatusOr<PreTokenizer> Create(
      const std::vector<SplitStep>& steps);

  // Calls `sink` with each word in order; words are never empty and point into
  // `text`. Error: a pattern gives up. REQUIRES: `text` is valid UTF-8.
  using Sink = absl::FunctionRef<void(std::string_view)>;
  absl::Status Split(std::string_view text, SplitPattern::Scratch* scratch,
                     Sink sink) const;

 private:
  struct Step {
    SplitPattern pattern;
    SplitStep::Behavior behavior;
    bool invert;
  };
  explicit PreTokenizer(std::vector<Step> steps) : steps_(std::move(steps)) {}
  absl::Status SplitFrom(size_t step, std::string_view text,
                         SplitPattern::Scratch* scratch, Sink sink) const;

  std::vector<Step> steps_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_PRE_TOKENIZER_H_
