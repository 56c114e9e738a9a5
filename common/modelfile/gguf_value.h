#ifndef QUIRE_COMMON_MODELFILE_GGUF_VALUE_H_
#define QUIRE_COMMON_MODELFILE_GGUF_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/modelfile/byte_reader.h"

namespace quire {

// The kinds of GGUF metadata, by their numbers in the file.
enum class GgufType : uint32_t {
  kUint8 = 0,
  kInt8 = 1,
  kUint16 = 2,
  kInt16 = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kUint64 = 10,
  kInt64 = 11,
  kFloat64 = 12,
};

// One metadata value as it lies in the file, checked but not decoded: a
// vocabulary of 150 000 strings costs nothing until somebody asks for it. Does
// not own its bytes. The getters give nullopt for a value of another kind.
class GgufValue {
 public:
  // Reads a kind and a value. INVALID_ARGUMENT: unknown kind, a value that
  // reaches past the end, a bool that is neither 0 nor 1, arrays nested deeper
  // than 4. `key` is for messages.
  static absl::StatusOr<GgufValue> Read(std::string_view key,
                                        ByteReader& reader);

  bool is_array() const { return is_array_; }

  std::optional<std::string_view> AsString() const;
  std::optional<bool> AsBool() const;
  std::optional<uint64_t> AsUint() const;  // Any integer that is not negative.
  std::optional<double> AsFloat() const;   // Any number.
  std::optional<std::vector<std::string_view>> AsStrings() const;
  std::optional<std::vector<double>> AsFloats()
      const;  // An array of any numbers.
  std::optional<std::vector<int64_t>> AsInts()
      const;  // An array of integers that int64_t holds.

 private:
  GgufValue(GgufType type, bool is_array, uint64_t count,
            std::span<const std::byte> bytes)
      : type_(type), is_array_(is_array), count_(count), bytes_(bytes) {}

  GgufType type_;  // Of the elements, where it is an array.
  bool is_array_;
  uint64_t count_;
  std::span<const std::byte> bytes_;  // All elements.
};

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_GGUF_VALUE_H_
