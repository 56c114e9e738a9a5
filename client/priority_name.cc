#include "client/priority_name.h"

#include "absl/strings/str_cat.h"

namespace quire::v1 {
namespace {

struct NamedPriority {
  const char* name;
  Priority priority;
};
constexpr NamedPriority kPriorities[] = {{"low", PRIORITY_LOW},
                                         {"normal", PRIORITY_NORMAL},
                                         {"high", PRIORITY_HIGH}};

}  // namespace

bool AbslParseFlag(absl::string_view text, Priority* priority,
                   std::string* error) {
  for (const NamedPriority& named : kPriorities) {
    if (text != named.name) continue;
    *priority = named.priority;
    return true;
  }
  *error = "it must be low, normal or high";
  return false;
}

std::string AbslUnparseFlag(Priority priority) {
  for (const NamedPriority& named : kPriorities) {
    if (priority == named.priority) return named.name;
  }
  return absl::StrCat(static_cast<int>(priority));
}

}  // namespace quire::v1
