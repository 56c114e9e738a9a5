#ifndef QUIRE_CLIENT_PRIORITY_NAME_H_
#define QUIRE_CLIENT_PRIORITY_NAME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "quire/v1/quire.pb.h"

namespace quire::v1 {

// A priority as people write it: low, normal or high. Found by abseil's flags.
bool AbslParseFlag(absl::string_view text, Priority* priority,
                   std::string* error);
std::string AbslUnparseFlag(Priority priority);

}  // namespace quire::v1

#endif  // QUIRE_CLIENT_PRIORITY_NAME_H_
