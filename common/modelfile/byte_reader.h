#ifndef QUIRE_COMMON_MODELFILE_BYTE_READER_H_
#define QUIRE_COMMON_MODELFILE_BYTE_READER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace quire {

// Reads little-endian values out of bytes that nobody vouches for, front to
// back. Not thread-safe; what it hands out points into the bytes it was given.
// Every reader takes `what`, the thing being read, for the message of
// INVALID_ARGUMENT when the bytes end before it does.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  absl::StatusOr<T> Read(std::string_view what) {
    static_assert(std::is_arithmetic_v<T>);
    if (sizeof(T) > remaining()) return EndsWithin(what, sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data() + offset_, sizeof(T));
    offset_ += sizeof(T);
    return value;
  }

  absl::StatusOr<std::span<const std::byte>> Take(uint64_t num_bytes,
                                                  std::string_view what);

  // `count` values of `size` bytes each; no product of the two overflows.
  // REQUIRES: size > 0.
  absl::StatusOr<std::span<const std::byte>> TakeArray(uint64_t count,
                                                       uint64_t size,
                                                       std::string_view what);

  // A length of 64 bits, then that many bytes.
  absl::StatusOr<std::string_view> ReadString(std::string_view what);

  uint64_t offset() const { return offset_; }
  uint64_t remaining() const { return bytes_.size() - offset_; }

 private:
  absl::Status EndsWithin(std::string_view what, uint64_t num_bytes) const;

  std::span<const std::byte> bytes_;
  size_t offset_ = 0;
};

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_BYTE_READER_H_
