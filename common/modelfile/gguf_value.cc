#include "common/modelfile/gguf_value.h"

#include <cstring>
#include <limits>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/modelfile/error_text.h"
#include "common/status_macros.h"
#include "common/strings.h"

namespace quire {
namespace {

constexpr int kMaxArrayDepth = 4;

using Number = std::variant<uint64_t, int64_t, double>;

// Bytes of one value; 0: not of fixed size.
uint64_t SizeOf(GgufType type) {
  switch (type) {
    case GgufType::kUint8:
    case GgufType::kInt8:
    case GgufType::kBool:
      return 1;
    case GgufType::kUint16:
    case GgufType::kInt16:
      return 2;
    case GgufType::kUint32:
    case GgufType::kInt32:
    case GgufType::kFloat32:
      return 4;
    case GgufType::kUint64:
    case GgufType::kInt64:
    case GgufType::kFloat64:
      return 8;
    case GgufType::kString:
    case GgufType::kArray:
      return 0;
  }
  return 0;
}

bool IsNumber(GgufType type) {
  return SizeOf(type) > 0 && type != GgufType::kBool;
}

template <typename T>
T Load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// The i-th of numbers of one type; nullopt: the type is no number.
std::optional<Number> LoadNumber(GgufType type,
                                 std::span<const std::byte> bytes, uint64_t i) {
  const std::byte* at = bytes.data() + i * SizeOf(type);
  switch (type) {
    case GgufType::kUint8:
      return uint64_t{Load<uint8_t>(at)};
    case GgufType::kUint16:
      return uint64_t{Load<uint16_t>(at)};
    case GgufType::kUint32:
      return uint64_t{Load<uint32_t>(at)};
    case GgufType::kUint64:
      return Load<uint64_t>(at);
    case GgufType::kInt8:
      return int64_t{Load<int8_t>(at)};
    case GgufType::kInt16:
      return int64_t{Load<int16_t>(at)};
    case GgufType::kInt32:
      return int64_t{Load<int32_t>(at)};
    case GgufType::kInt64:
      return Load<int64_t>(at);
    case GgufType::kFloat32:
      return double{Load<float>(at)};
    case GgufType::kFloat64:
      return Load<double>(at);
    case GgufType::kBool:
    case GgufType::kString:
    case GgufType::kArray:
      return std::nullopt;
  }
  return std::nullopt;
}

double ToDouble(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); },
                    number);
}

std::optional<int64_t> ToInt(const Number& number) {
  if (const auto* value = std::get_if<int64_t>(&number)) return *value;
  if (const auto* value = std::get_if<uint64_t>(&number);
      value != nullptr &&
      *value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return static_cast<int64_t>(*value);
  }
  return std::nullopt;
}

std::optional<uint64_t> ToUint(const Number& number) {
  if (const auto* value = std::get_if<uint64_t>(&number)) return *value;
  if (const auto* value = std::get_if<int64_t>(&number);
      value != nullptr && *value >= 0) {
    return static_cast<uint64_t>(*value);
  }
  return std::nullopt;
}

absl::Status CheckBools(std::span<const std::byte> bytes,
                        std::string_view what) {
  for (const std::byte byte : bytes) {
    if (byte > std::byte{1}) {
      return absl::InvalidArgumentError(
          absl::StrCat(ToAbsl(what), " is a bool of ", static_cast<int>(byte)));
    }
  }
  return absl::OkStatus();
}

// Walks over `count` values, and so proves that they are there.
absl::Status SkipValues(GgufType type, uint64_t count, int depth,
                        std::string_view what, ByteReader& reader);

absl::StatusOr<GgufType> ReadType(std::string_view what, ByteReader& reader) {
  QUIRE_ASSIGN_OR_RETURN(const uint32_t type, reader.Read<uint32_t>(what));
  if (type > static_cast<uint32_t>(GgufType::kFloat64)) {
    return absl::InvalidArgumentError(
        absl::StrCat(ToAbsl(what), " is of the unknown kind ", type));
  }
  return static_cast<GgufType>(type);
}

absl::Status SkipArray(int depth, std::string_view what, ByteReader& reader) {
  if (depth == kMaxArrayDepth) {
    return absl::InvalidArgumentError(absl::StrCat(
        ToAbsl(what), " nests arrays deeper than ", kMaxArrayDepth));
  }
  QUIRE_ASSIGN_OR_RETURN(const GgufType type, ReadType(what, reader));
  QUIRE_ASSIGN_OR_RETURN(const uint64_t count, reader.Read<uint64_t>(what));
  return SkipValues(type, count, depth + 1, what, reader);
}

absl::Status SkipValues(GgufType type, uint64_t count, int depth,
                        std::string_view what, ByteReader& reader) {
  if (const uint64_t size = SizeOf(type); size > 0) {
    QUIRE_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes,
                           reader.TakeArray(count, size, what));
    return type == GgufType::kBool ? CheckBools(bytes, what) : absl::OkStatus();
  }
  // Each turn takes bytes or fails, so a lying count ends with the file.
  for (uint64_t i = 0; i < count; ++i) {
    if (type == GgufType::kArray) {
      QUIRE_RETURN_IF_ERROR(SkipArray(depth, what, reader));
    } else {
      QUIRE_RETURN_IF_ERROR(reader.ReadString(what).status());
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GgufValue> GgufValue::Read(std::string_view key,
                                          ByteReader& reader) {
  const std::string what = absl::StrCat("metadata ", Quoted(key));
  QUIRE_ASSIGN_OR_RETURN(GgufType type, ReadType(what, reader));
  const bool is_array = type == GgufType::kArray;
  uint64_t count = 1;
  if (is_array) {
    QUIRE_ASSIGN_OR_RETURN(type, ReadType(what, reader));
    QUIRE_ASSIGN_OR_RETURN(count, reader.Read<uint64_t>(what));
  }
  ByteReader start = reader;
  QUIRE_RETURN_IF_ERROR(
      SkipValues(type, count, is_array ? 1 : 0, what, reader));
  QUIRE_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes,
                         start.Take(reader.offset() - start.offset(), what));
  return GgufValue(type, is_array, count, bytes);
}

std::optional<std::string_view> GgufValue::AsString() const {
  if (is_array_ || type_ != GgufType::kString) return std::nullopt;
  return ByteReader(bytes_).ReadString("").value();
}

std::optional<bool> GgufValue::AsBool() const {
  if (is_array_ || type_ != GgufType::kBool) return std::nullopt;
  return bytes_[0] != std::byte{0};
}

std::optional<uint64_t> GgufValue::AsUint() const {
  const std::optional<Number> number =
      is_array_ ? std::nullopt : LoadNumber(type_, bytes_, 0);
  return number.has_value() ? ToUint(*number) : std::nullopt;
}

std::optional<double> GgufValue::AsFloat() const {
  const std::optional<Number> number =
      is_array_ ? std::nullopt : LoadNumber(type_, bytes_, 0);
  return number.has_value() ? std::optional(ToDouble(*number)) : std::nullopt;
}

std::optional<std::vector<std::string_view>> GgufValue::AsStrings() const {
  if (!is_array_ || type_ != GgufType::kString) return std::nullopt;
  std::vector<std::string_view> strings;
  strings.reserve(count_);
  ByteReader reader(bytes_);
  for (uint64_t i = 0; i < count_; ++i) {
    strings.push_back(reader.ReadString("").value());
  }
  return strings;
}

std::optional<std::vector<double>> GgufValue::AsFloats() const {
  if (!is_array_ || !IsNumber(type_)) return std::nullopt;
  std::vector<double> numbers;
  for (uint64_t i = 0; i < count_; ++i) {
    numbers.push_back(ToDouble(*LoadNumber(type_, bytes_, i)));
  }
  return numbers;
}

std::optional<std::vector<int64_t>> GgufValue::AsInts() const {
  if (!is_array_ || !IsNumber(type_)) return std::nullopt;
  std::vector<int64_t> numbers;
  for (uint64_t i = 0; i < count_; ++i) {
    const std::optional<int64_t> value = ToInt(*LoadNumber(type_, bytes_, i));
    if (!value.has_value()) return std::nullopt;
    numbers.push_back(*value);
  }
  return numbers;
}

}  // namespace quire
