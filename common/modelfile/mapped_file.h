#ifndef QUIRE_COMMON_MODELFILE_MAPPED_FILE_H_
#define QUIRE_COMMON_MODELFILE_MAPPED_FILE_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace quire {

// A regular file mapped into memory for reading; unmapped by the destructor,
// which ends the life of all views. Immutable, thread-safe. The size is that at
// the time of opening: a file that somebody shortens later raises SIGBUS where
// its lost pages are read, so model files are replaced, never rewritten in
// place.
class MappedFile {
 public:
  enum class Access { kSequential, kRandom, kSoon };

  // NOT_FOUND: no such file; PERMISSION_DENIED; INVALID_ARGUMENT: not a regular
  // file. The path leads every message.
  static absl::StatusOr<std::unique_ptr<MappedFile>> Open(
      const std::string& path);
  ~MappedFile();

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

  // Tells the kernel how the whole file will be read: ahead in order, here and
  // there, or all of it soon. Only a hint.
  void Advise(Access access) const;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  const std::span<const std::byte> bytes_;
};

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_MAPPED_FILE_H_
