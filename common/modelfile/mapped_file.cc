#include "common/modelfile/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace quire {
namespace {

absl::Status LastError(const std::string& path, const char* what) {
  return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot ", what));
}

absl::StatusOr<std::span<const std::byte>> Map(int fd,
                                               const std::string& path) {
  struct stat info;
  if (fstat(fd, &info) != 0) return LastError(path, "stat");
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": not a regular file"));
  }
  const size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) return std::span<const std::byte>();  // mmap refuses it.
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, /*offset=*/0);
  if (address == MAP_FAILED) return LastError(path, "map");
  return std::span(static_cast<const std::byte*>(address), size);
}

}  // namespace

absl::StatusOr<std::unique_ptr<MappedFile>> MappedFile::Open(
    const std::string& path) {
  // Without O_NONBLOCK a named pipe would block here instead of being refused
  // below.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return LastError(path, "open");
  absl::StatusOr<std::span<const std::byte>> bytes = Map(fd, path);
  close(fd);  // The mapping keeps the file.
  if (!bytes.ok()) return bytes.status();
  return std::unique_ptr<MappedFile>(new MappedFile(*bytes));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) {
    munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
}

void MappedFile::Advise(Access access) const {
  if (bytes_.empty()) return;
  const int advice = access == Access::kSequential ? MADV_SEQUENTIAL
                     : access == Access::kRandom   ? MADV_RANDOM
                                                   : MADV_WILLNEED;
  madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), advice);
}

}  // namespace quire
