#include "scheduler/policy/admission_mode.h"

#include "absl/strings/str_cat.h"

namespace quire {
namespace {

struct NamedMode {
  const char* name;
  AdmissionMode mode;
};
constexpr NamedMode kModes[] = {{"first_chunk", AdmissionMode::kFirstChunk},
                                {"full_prompt", AdmissionMode::kFullPrompt},
                                {"worst_case", AdmissionMode::kWorstCase}};

}  // namespace

bool AbslParseFlag(absl::string_view text, AdmissionMode* mode,
                   std::string* error) {
  for (const NamedMode& named : kModes) {
    if (text != named.name) continue;
    *mode = named.mode;
    return true;
  }
  *error = "it must be first_chunk, full_prompt or worst_case";
  return false;
}

std::string AbslUnparseFlag(AdmissionMode mode) {
  for (const NamedMode& named : kModes) {
    if (mode == named.mode) return named.name;
  }
  return absl::StrCat(static_cast<int>(mode));
}

}  // namespace quire
