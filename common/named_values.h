#ifndef QUIRE_COMMON_NAMED_VALUES_H_
#define QUIRE_COMMON_NAMED_VALUES_H_

#include <cstddef>
#include <span>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace quire {

// The values of an enum as people write them, for its AbslParseFlag and
// AbslUnparseFlag.
template <typename Enum>
struct NamedValue {
  const char* name;
  Enum value;
};

// Sets `value` to the one that `text` names. False: none, and `error` lists the
// names.
template <typename Enum, size_t count>
bool ParseNamedValue(const NamedValue<Enum> (&values)[count],
                     absl::string_view text, Enum* value, std::string* error) {
  for (const NamedValue<Enum>& named : values) {
    if (text != named.name) continue;
    *value = named.value;
    return true;
  }
  const auto add_name = [](std::string* out, const NamedValue<Enum>& named) {
    out->append(named.name);
  };
  *error = absl::StrCat(
      "it must be ",
      absl::StrJoin(std::span(values).first(count - 1), ", ", add_name), " or ",
      values[count - 1].name);
  return false;
}

// A value without a name, which a newer program may send, is its number.
template <typename Enum, size_t count>
std::string NameOf(const NamedValue<Enum> (&values)[count], Enum value) {
  for (const NamedValue<Enum>& named : values) {
    if (value == named.value) return named.name;
  }
  return absl::StrCat(static_cast<int>(value));
}

}  // namespace quire

#endif  // QUIRE_COMMON_NAMED_VALUES_H_
