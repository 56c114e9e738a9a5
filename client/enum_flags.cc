#include "client/enum_flags.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace quire::v1 {
namespace {

template <typename Enum>
struct Named {
  const char* name;
  Enum value;
};

constexpr Named<Priority> kPriorities[] = {{"low", PRIORITY_LOW},
                                           {"normal", PRIORITY_NORMAL},
                                           {"high", PRIORITY_HIGH}};
constexpr Named<EarlyStopping> kEarlyStoppings[] = {
    {"true", EARLY_STOPPING_TRUE},
    {"false", EARLY_STOPPING_FALSE},
    {"never", EARLY_STOPPING_NEVER}};

template <typename Enum, size_t count>
bool Parse(const Named<Enum> (&values)[count], absl::string_view text,
           Enum* value, std::string* error) {
  for (const Named<Enum>& named : values) {
    if (text != named.name) continue;
    *value = named.value;
    return true;
  }
  *error = absl::StrCat(
      "it must be one of ",
      absl::StrJoin(values, ", ", [](std::string* out, const auto& named) {
        out->append(named.name);
      }));
  return false;
}

template <typename Enum, size_t count>
std::string Unparse(const Named<Enum> (&values)[count], Enum value) {
  for (const Named<Enum>& named : values) {
    if (value == named.value) return named.name;
  }
  return absl::StrCat(static_cast<int>(value));
}

}  // namespace

bool AbslParseFlag(absl::string_view text, Priority* priority,
                   std::string* error) {
  return Parse(kPriorities, text, priority, error);
}

std::string AbslUnparseFlag(Priority priority) {
  return Unparse(kPriorities, priority);
}

bool AbslParseFlag(absl::string_view text, EarlyStopping* early_stopping,
                   std::string* error) {
  return Parse(kEarlyStoppings, text, early_stopping, error);
}

std::string AbslUnparseFlag(EarlyStopping early_stopping) {
  return Unparse(kEarlyStoppings, early_stopping);
}

}  // namespace quire::v1
