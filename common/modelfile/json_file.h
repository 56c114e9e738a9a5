#ifndef QUIRE_COMMON_MODELFILE_JSON_FILE_H_
#define QUIRE_COMMON_MODELFILE_JSON_FILE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace quire {

// What a JSON text may cost. Depth is bounded because copying and printing a
// value recurse.
struct JsonLimits {
  uint64_t max_bytes = uint64_t{64} << 20;
  int max_depth = 64;
};

// Parses `text`, all of it. INVALID_ARGUMENT: not JSON (with the position of
// the fault), too large, too deep, or an object with the same key twice.
absl::StatusOr<nlohmann::json> ParseJson(std::string_view text,
                                         const JsonLimits& limits = {});

// ParseJson of a file; its path leads every message. NOT_FOUND: no such file.
absl::StatusOr<nlohmann::json> ReadJsonFile(const std::string& path,
                                            const JsonLimits& limits = {});

// Typed access to the fields of one JSON object. A field that is null counts as
// absent. A field of another kind is INVALID_ARGUMENT, with the name of the
// object and of the field; an absent one too, unless there is a fallback. Does
// not own the object, which must outlive it.
class JsonFields {
 public:
  // `name` stands for the object in messages, such as "config.json".
  // INVALID_ARGUMENT: `value` is not an object.
  static absl::StatusOr<JsonFields> Of(const nlohmann::json& value,
                                       std::string name);

  // Null: absent.
  const nlohmann::json* Find(std::string_view key) const;
  bool Has(std::string_view key) const { return Find(key) != nullptr; }
  // Whether the field is there at all, null or not.
  bool Contains(std::string_view key) const;
  // Whether any field is an object itself.
  bool HasObject() const;

  // Whole numbers only: 64.0 is not one, nor is what int64_t cannot hold.
  absl::StatusOr<int64_t> GetInt(std::string_view key) const;
  absl::StatusOr<int64_t> GetInt(std::string_view key, int64_t fallback) const;
  // Any number.
  absl::StatusOr<double> GetNumber(std::string_view key) const;
  absl::StatusOr<double> GetNumber(std::string_view key, double fallback) const;
  absl::StatusOr<bool> GetBool(std::string_view key, bool fallback) const;
  absl::StatusOr<std::string> GetString(std::string_view key) const;
  absl::StatusOr<std::string> GetString(std::string_view key,
                                        std::string fallback) const;
  // One whole number or a list of them; absent: none.
  absl::StatusOr<std::vector<int64_t>> GetInts(std::string_view key) const;
  // The object in a field; nullopt: absent.
  absl::StatusOr<std::optional<JsonFields>> GetObject(
      std::string_view key) const;

 private:
  JsonFields(const nlohmann::json* object, std::string name)
      : object_(object), name_(std::move(name)) {}

  absl::Status Missing(std::string_view key) const;
  absl::Status Wrong(std::string_view key, const char* expected) const;

  const nlohmann::json* object_;
  std::string name_;
};

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_JSON_FILE_H_
