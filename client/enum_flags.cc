#include "client/enum_flags.h"

#include "common/named_values.h"

namespace quire::v1 {
namespace {

constexpr NamedValue<Priority> kPriorities[] = {{"low", PRIORITY_LOW},
                                                {"normal", PRIORITY_NORMAL},
                                                {"high", PRIORITY_HIGH}};
constexpr NamedValue<EarlyStopping> kEarlyStoppings[] = {
    {"true", EARLY_STOPPING_TRUE},
    {"false", EARLY_STOPPING_FALSE},
    {"never", EARLY_STOPPING_NEVER}};

}  // namespace

bool AbslParseFlag(absl::string_view text, Priority* priority,
                   std::string* error) {
  return ParseNamedValue(kPriorities, text, priority, error);
}

std::string AbslUnparseFlag(Priority priority) {
  return NameOf(kPriorities, priority);
}

bool AbslParseFlag(absl::string_view text, EarlyStopping* early_stopping,
                   std::string* error) {
  return ParseNamedValue(kEarlyStoppings, text, early_stopping, error);
}

std::string AbslUnparseFlag(EarlyStopping early_stopping) {
  return NameOf(kEarlyStoppings, early_stopping);
}

}  // namespace quire::v1
