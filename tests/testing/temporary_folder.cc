#include "tests/testing/temporary_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/check.h"

namespace quire::testing {

TemporaryFolder::TemporaryFolder() {
  const char* parent = std::getenv("TEST_TMPDIR");
  path_ = std::string(parent != nullptr ? parent : "/tmp") + "/folder_XXXXXX";
  QUIRE_CHECK(mkdtemp(path_.data()) != nullptr);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::Write(std::string_view name,
                                   std::string_view contents) const {
  const std::string path = path_ + "/" + std::string(name);
  std::ofstream file(path, std::ios::binary);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  QUIRE_CHECK(file.flush().good());
  return path;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  QUIRE_CHECK(file.good());
  return {std::istreambuf_iterator<char>(file),
          std::istreambuf_iterator<char>()};
}

}  // namespace quire::testing
