#include "common/modelfile/json_file.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/modelfile/error_text.h"
#include "common/modelfile/mapped_file.h"
#include "common/status_macros.h"
#include "common/strings.h"

namespace quire {
namespace {

using Json = nlohmann::json;

// Builds the value while the parser reads. The library's own builder knows no
// limit of depth and lets the last of two equal keys win.
class BoundedBuilder final : public nlohmann::json_sax<Json> {
 public:
  explicit BoundedBuilder(int max_depth) : max_depth_(max_depth) {}

  bool null() override { return Put(nullptr); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(number_integer_t value) override { return Put(value); }
  bool number_unsigned(number_unsigned_t value) override { return Put(value); }
  bool number_float(number_float_t value, const string_t&) override {
    return Put(value);
  }
  bool string(string_t& value) override { return Put(std::move(value)); }
  bool binary(binary_t&) override { return Fail("binary data"); }

  bool start_object(std::size_t) override { return Enter(Json::object()); }
  bool end_object() override { return Leave(); }
  bool start_array(std::size_t) override { return Enter(Json::array()); }
  bool end_array() override { return Leave(); }

  bool key(string_t& key) override {
    auto* object = open_.back()->get_ptr<Json::object_t*>();
    const auto [entry, inserted] = object->try_emplace(key, nullptr);
    if (!inserted) {
      return Fail(
          absl::StrCat("key ", Quoted(key), " occurs twice in one object"));
    }
    value_of_key_ = &entry->second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return Fail(absl::StrCat("not valid JSON at byte ", position));
  }

  Json&& TakeValue() { return std::move(root_); }
  const std::string& error() const { return error_; }

 private:
  // Where the next value belongs, with `value` in it.
  Json* Place(Json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    if (auto* array = open_.back()->get_ptr<Json::array_t*>()) {
      return &array->emplace_back(std::move(value));
    }
    return &(*value_of_key_ = std::move(value));
  }

  bool Put(Json value) {
    Place(std::move(value));
    return true;
  }

  bool Enter(Json container) {
    if (open_.size() == static_cast<size_t>(max_depth_)) {
      return Fail(absl::StrCat("JSON nested deeper than ", max_depth_));
    }
    // A container stays where it is while it is open: its parent grows only
    // after it is closed.
    open_.push_back(Place(std::move(container)));
    return true;
  }

  bool Leave() {
    open_.pop_back();
    return true;
  }

  bool Fail(std::string error) {
    error_ = std::move(error);
    return false;
  }

  const int max_depth_;
  Json root_;
  std::vector<Json*> open_;
  Json* value_of_key_ = nullptr;
  std::string error_;
};

std::optional<int64_t> AsInt(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() &&
      value.get<uint64_t>() >
          static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return std::nullopt;
  }
  return value.get<int64_t>();
}

}  // namespace

absl::StatusOr<Json> ParseJson(std::string_view text,
                               const JsonLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "JSON of ", text.size(), " bytes, the limit is ", limits.max_bytes));
  }
  BoundedBuilder builder(limits.max_depth);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    return absl::InvalidArgumentError(builder.error());
  }
  return builder.TakeValue();
}

absl::StatusOr<Json> ReadJsonFile(const std::string& path,
                                  const JsonLimits& limits) {
  QUIRE_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file,
                         MappedFile::Open(path));
  absl::StatusOr<Json> value = ParseJson(file->text(), limits);
  if (!value.ok()) return InFile(path, value.status());
  return value;
}

absl::StatusOr<JsonFields> JsonFields::Of(const Json& value, std::string name) {
  if (!value.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": expected an object, got ", value.type_name()));
  }
  return JsonFields(&value, std::move(name));
}

const Json* JsonFields::Find(std::string_view key) const {
  const auto entry = object_->find(std::string(key));
  return entry == object_->end() || entry->is_null() ? nullptr : &*entry;
}

bool JsonFields::Contains(std::string_view key) const {
  return object_->contains(std::string(key));
}

bool JsonFields::HasObject() const {
  return std::any_of(object_->begin(), object_->end(),
                     [](const Json& value) { return value.is_object(); });
}

absl::StatusOr<int64_t> JsonFields::GetInt(std::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr) return Missing(key);
  const std::optional<int64_t> number = AsInt(*value);
  if (!number.has_value()) return Wrong(key, "a whole number");
  return *number;
}

absl::StatusOr<int64_t> JsonFields::GetInt(std::string_view key,
                                           int64_t fallback) const {
  if (!Has(key)) return fallback;
  return GetInt(key);
}

absl::StatusOr<double> JsonFields::GetNumber(std::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr) return Missing(key);
  if (!value->is_number()) return Wrong(key, "a number");
  return value->get<double>();
}

absl::StatusOr<double> JsonFields::GetNumber(std::string_view key,
                                             double fallback) const {
  if (!Has(key)) return fallback;
  return GetNumber(key);
}

absl::StatusOr<bool> JsonFields::GetBool(std::string_view key,
                                         bool fallback) const {
  const Json* value = Find(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) return Wrong(key, "true or false");
  return value->get<bool>();
}

absl::StatusOr<std::string> JsonFields::GetString(std::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr) return Missing(key);
  if (!value->is_string()) return Wrong(key, "a string");
  return value->get<std::string>();
}

absl::StatusOr<std::string> JsonFields::GetString(std::string_view key,
                                                  std::string fallback) const {
  if (!Has(key)) return fallback;
  return GetString(key);
}

absl::StatusOr<std::vector<int64_t>> JsonFields::GetInts(
    std::string_view key) const {
  std::vector<int64_t> result;
  const Json* value = Find(key);
  if (value == nullptr) return result;
  if (!value->is_array()) {
    QUIRE_ASSIGN_OR_RETURN(const int64_t number, GetInt(key));
    return std::vector<int64_t>{number};
  }
  for (const Json& element : *value) {
    const std::optional<int64_t> number = AsInt(element);
    if (!number.has_value()) return Wrong(key, "whole numbers");
    result.push_back(*number);
  }
  return result;
}

absl::StatusOr<std::optional<JsonFields>> JsonFields::GetObject(
    std::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr) return std::optional<JsonFields>();
  if (!value->is_object()) return Wrong(key, "an object");
  return std::optional<JsonFields>(
      JsonFields(value, absl::StrCat(name_, " ", ToAbsl(key))));
}

absl::Status JsonFields::Missing(std::string_view key) const {
  return absl::InvalidArgumentError(
      absl::StrCat(name_, ": field ", Quoted(key), " is missing"));
}

absl::Status JsonFields::Wrong(std::string_view key,
                               const char* expected) const {
  return absl::InvalidArgumentError(
      absl::StrCat(name_, ": field ", Quoted(key), " must be ", expected,
                   ", not ", Quoted(Find(key)->type_name())));
}

}  // namespace quire
