#include "scheduler/frontend/field_error.h"

#include <charconv>

#include "common/strings.h"

namespace quire {

absl::Status FieldError(std::string_view field, const absl::AlphaNum& value,
                        std::string_view limit) {
  return absl::InvalidArgumentError(
      absl::StrCat(ToAbsl(field), " is ", value, "; ", ToAbsl(limit)));
}

std::string FloatText(float value) {
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, result.ptr);
}

}  // namespace quire
