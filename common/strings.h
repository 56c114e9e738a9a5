#ifndef QUIRE_COMMON_STRINGS_H_
#define QUIRE_COMMON_STRINGS_H_

#include <string>
#include <string_view>

#include "absl/strings/string_view.h"

namespace quire {

// Debian's abseil has a string_view of its own that does not convert to or from
// the standard's.
inline absl::string_view ToAbsl(std::string_view s) {
  return {s.data(), s.size()};
}
inline std::string_view ToStd(absl::string_view s) {
  return {s.data(), s.size()};
}

}  // namespace quire

#endif  // QUIRE_COMMON_STRINGS_H_
