#include "client/json_fields.h"

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace quire {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxShownBytes = 40;

std::string Shown(const Json& value) {
  std::string text = value.dump(/*indent=*/-1, /*indent_char=*/' ',
                                /*ensure_ascii=*/true);
  if (text.size() > kMaxShownBytes)
    text.replace(kMaxShownBytes, text.npos, "...");
  return text;
}

absl::Status FieldError(const Json& object, const std::string& name,
                        const std::string& wanted) {
  const auto field = object.find(name);
  if (field == object.end()) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is missing"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is ", Shown(*field), ", must be ", wanted));
}

bool IsWithin(const Json& value, double smallest, double largest) {
  return value.is_number() && value.get<double>() >= smallest &&
         value.get<double>() <= largest;
}

bool IsTokenId(const Json& value) {
  return value.is_number_integer() &&
         IsWithin(value, 0, std::numeric_limits<Token>::max());
}

}  // namespace

absl::StatusOr<std::string> TextField(const Json& object,
                                      const std::string& name) {
  const auto field = object.find(name);
  if (field == object.end() || !field->is_string()) {
    return FieldError(object, name, "a string");
  }
  return field->get<std::string>();
}

absl::StatusOr<double> NumberField(const Json& object, const std::string& name,
                                   double smallest, double largest) {
  const auto field = object.find(name);
  if (field == object.end() || !IsWithin(*field, smallest, largest)) {
    return FieldError(object, name,
                      absl::StrCat("a number, ", smallest, " to ", largest));
  }
  return field->get<double>();
}

absl::StatusOr<uint32_t> CountField(const Json& object, const std::string& name,
                                    uint32_t smallest) {
  constexpr uint32_t kLargest = std::numeric_limits<uint32_t>::max();
  const auto field = object.find(name);
  if (field == object.end() || !field->is_number_integer() ||
      !IsWithin(*field, smallest, kLargest)) {
    return FieldError(
        object, name,
        absl::StrCat("a whole number, ", smallest, " to ", kLargest));
  }
  return field->get<uint32_t>();
}

absl::StatusOr<std::vector<Token>> TokenIdsField(const Json& object,
                                                 const std::string& name) {
  const auto field = object.find(name);
  if (field == object.end() || !field->is_array()) {
    return FieldError(object, name, "a list of token ids");
  }
  for (size_t i = 0; i < field->size(); ++i) {
    if (IsTokenId((*field)[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        name, "[", i, "] is ", Shown((*field)[i]),
        ", must be a token id, 0 to ", std::numeric_limits<Token>::max()));
  }
  return field->get<std::vector<Token>>();
}

}  // namespace quire
