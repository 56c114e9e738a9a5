#ifndef QUIRE_SCHEDULER_TEXT_SPLIT_PATTERNS_BY_NAME_H_
#define QUIRE_SCHEDULER_TEXT_SPLIT_PATTERNS_BY_NAME_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scheduler/text/tokenizer_data.h"

namespace quire {

// The pattern of GPT-2, which tokenizer.json's ByteLevel applies without
// writing it out.
std::string_view Gpt2SplitPattern();

// What a GGUF file means by the name of a pre-tokenizer, for the patterns
// themselves are not in it.
struct NamedSplit {
  std::vector<SplitStep> steps;
  bool ignore_merges = false;
  bool adds_bos = false;  // Unless the file says otherwise.
  bool normalizes_nfc = false;
};

// `name` is tokenizer.ggml.pre. UNIMPLEMENTED: not known; the message has the
// name.
absl::StatusOr<NamedSplit> FindNamedSplit(std::string_view name);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_SPLIT_PATTERNS_BY_NAME_H_
