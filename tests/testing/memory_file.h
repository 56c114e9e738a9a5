#ifndef QUIRE_TESTS_TESTING_MEMORY_FILE_H_
#define QUIRE_TESTS_TESTING_MEMORY_FILE_H_

#include <string>
#include <string_view>

namespace quire::testing {

// A file without a place on disk, for code that takes a path. Gone with the
// object.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view contents);
  ~MemoryFile();

  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  int fd_;
  std::string path_;
};

}  // namespace quire::testing

#endif  // QUIRE_TESTS_TESTING_MEMORY_FILE_H_
