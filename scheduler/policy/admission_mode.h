#ifndef QUIRE_SCHEDULER_POLICY_ADMISSION_MODE_H_
#define QUIRE_SCHEDULER_POLICY_ADMISSION_MODE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace quire {

// For how much of its way a request must find blocks before it starts. From
// kWorstCase, which preempts nobody, to kFirstChunk, which runs more at once.
enum class AdmissionMode {
  kFirstChunk,  // Its first rows.
  kFullPrompt,  // All tokens known, and the next one.
  kWorstCase,   // All tokens that it may ever have.
};

// "first_chunk", "full_prompt", "worst_case"; found by abseil's flags.
bool AbslParseFlag(absl::string_view text, AdmissionMode* mode,
                   std::string* error);
std::string AbslUnparseFlag(AdmissionMode mode);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_ADMISSION_MODE_H_
