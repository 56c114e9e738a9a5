#include "tests/testing/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include "common/check.h"

namespace quire::testing {

MemoryFile::MemoryFile(std::string_view contents)
    : fd_(memfd_create("test", MFD_CLOEXEC)),
      path_("/proc/self/fd/" + std::to_string(fd_)) {
  QUIRE_CHECK(fd_ >= 0);
  QUIRE_CHECK(write(fd_, contents.data(), contents.size()) ==
              static_cast<ssize_t>(contents.size()));
}

MemoryFile::~MemoryFile() { close(fd_); }

}  // namespace quire::testing
