#ifndef QUIRE_TESTS_TESTING_TEMPORARY_FOLDER_H_
#define QUIRE_TESTS_TESTING_TEMPORARY_FOLDER_H_

#include <string>
#include <string_view>

namespace quire::testing {

// A folder of its own below $TEST_TMPDIR (or /tmp), removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();

  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  // Writes a file and returns its path.
  std::string Write(std::string_view name, std::string_view contents) const;

 private:
  std::string path_;
};

// The contents of a file that must be there.
std::string ReadFile(const std::string& path);

}  // namespace quire::testing

#endif  // QUIRE_TESTS_TESTING_TEMPORARY_FOLDER_H_
