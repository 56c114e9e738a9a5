#include "common/modelfile/byte_reader.h"

#include <bit>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/status_macros.h"
#include "common/strings.h"

namespace quire {

static_assert(std::endian::native == std::endian::little,
              "values are copied out of the file as they lie");

absl::StatusOr<std::span<const std::byte>> ByteReader::Take(
    uint64_t num_bytes, std::string_view what) {
  if (num_bytes > remaining()) return EndsWithin(what, num_bytes);
  const std::span<const std::byte> taken = bytes_.subspan(offset_, num_bytes);
  offset_ += num_bytes;
  return taken;
}

absl::StatusOr<std::span<const std::byte>> ByteReader::TakeArray(
    uint64_t count, uint64_t size, std::string_view what) {
  QUIRE_CHECK(size > 0);
  if (count > remaining() / size) {
    return absl::InvalidArgumentError(absl::StrCat(
        ToAbsl(what), " at byte ", offset_, " claims ", count, " values of ",
        size, " bytes, but the file has only ", remaining(), " bytes left"));
  }
  return Take(count * size, what);
}

absl::StatusOr<std::string_view> ByteReader::ReadString(std::string_view what) {
  QUIRE_ASSIGN_OR_RETURN(const uint64_t length, Read<uint64_t>(what));
  QUIRE_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes,
                         Take(length, what));
  return std::string_view(reinterpret_cast<const char*>(bytes.data()),
                          bytes.size());
}

absl::Status ByteReader::EndsWithin(std::string_view what,
                                    uint64_t num_bytes) const {
  return absl::InvalidArgumentError(absl::StrCat(
      "the file ends within ", ToAbsl(what), ": ", num_bytes,
      " bytes needed at byte ", offset_, ", ", remaining(), " left"));
}

}  // namespace quire
