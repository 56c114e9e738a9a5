#include "scheduler/policy/admission_mode.h"

#include "common/named_values.h"

namespace quire {
namespace {

constexpr NamedValue<AdmissionMode> kModes[] = {
    {"first_chunk", AdmissionMode::kFirstChunk},
    {"full_prompt", AdmissionMode::kFullPrompt},
    {"worst_case", AdmissionMode::kWorstCase}};

}  // namespace

bool AbslParseFlag(absl::string_view text, AdmissionMode* mode,
                   std::string* error) {
  return ParseNamedValue(kModes, text, mode, error);
}

std::string AbslUnparseFlag(AdmissionMode mode) { return NameOf(kModes, mode); }

}  // namespace quire
