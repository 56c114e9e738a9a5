#include "tests/testing/fuzz_driver.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "absl/time/clock.h"
#include "common/check.h"

namespace quire::testing {
namespace {

// A file that holds the input being run, and so outlives a crash in it.
class InputFile {
 public:
  InputFile()
      : path_(Path()),
        fd_(open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                 0644)) {
    QUIRE_CHECK(fd_ >= 0);
  }

  ~InputFile() {
    close(fd_);
    unlink(path_.c_str());
  }

  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  void Set(const std::string& input) {
    QUIRE_CHECK(ftruncate(fd_, 0) == 0);
    QUIRE_CHECK(pwrite(fd_, input.data(), input.size(), /*offset=*/0) ==
                static_cast<ssize_t>(input.size()));
  }

 private:
  static std::string Path() {
    for (const char* variable :
         {"TEST_UNDECLARED_OUTPUTS_DIR", "TEST_TMPDIR"}) {
      if (const char* folder = std::getenv(variable)) {
        return std::string(folder) + "/fuzz_input";
      }
    }
    return "/tmp/fuzz_input";
  }

  const std::string path_;
  const int fd_;
};

// Values that parsers trip over.
constexpr uint64_t kInteresting[] = {0,
                                     1,
                                     2,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0xffff,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0x100000000,
                                     0x3fffffffffffffff,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0xffffffffffffffff};

class Mutator {
 public:
  Mutator(uint64_t seed, const std::vector<std::string>& seeds,
          size_t max_bytes)
      : random_(seed), seeds_(seeds), max_bytes_(max_bytes) {}

  std::string Next() {
    std::string input = seeds_[Below(seeds_.size())];
    const size_t num_changes = 1 + Below(4);
    for (size_t i = 0; i < num_changes; ++i) Change(&input);
    input.resize(std::min(input.size(), max_bytes_));
    return input;
  }

 private:
  size_t Below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void Change(std::string* input) {
    const size_t at = Below(input->size());
    switch (Below(7)) {
      case 0:
        return FlipBit(input, at);
      case 1:
        return Overwrite(input, at,
                         kInteresting[Below(std::size(kInteresting))],
                         size_t{1} << Below(4));
      case 2:
        return Overwrite(input, at, random_(), size_t{1} << Below(4));
      case 3:
        input->erase(at, 1 + Below(32));
        return;
      case 4:
        input->insert(at, input->substr(Below(input->size()), 1 + Below(32)));
        return;
      case 5:
        input->resize(at);
        return;
      default:
        return Splice(input, at);
    }
  }

  static void FlipBit(std::string* input, size_t at) {
    if (!input->empty()) (*input)[at] ^= static_cast<char>(1 << (at % 8));
  }

  static void Overwrite(std::string* input, size_t at, uint64_t value,
                        size_t num_bytes) {
    num_bytes = std::min(num_bytes, input->size() - at);
    std::memcpy(input->data() + at, &value, num_bytes);
  }

  // The rest comes from another seed.
  void Splice(std::string* input, size_t at) {
    const std::string& other = seeds_[Below(seeds_.size())];
    *input = input->substr(0, at) + other.substr(Below(other.size()));
  }

  std::mt19937_64 random_;
  const std::vector<std::string>& seeds_;
  const size_t max_bytes_;
};

void RunOne(FuzzEntryPoint entry_point, const std::string& input,
            InputFile* file) {
  file->Set(input);
  // A block of exactly this size, so that a sanitizer sees the first byte
  // behind it.
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  entry_point(bytes.data(), bytes.size());
}

}  // namespace

int64_t RunFuzzer(FuzzEntryPoint entry_point, const FuzzOptions& options) {
  std::vector<std::string> seeds = options.seeds;
  if (!options.corpus.empty()) {
    for (std::string& seed : ReadCorpus(options.corpus)) {
      seeds.push_back(std::move(seed));
    }
  }
  if (seeds.empty()) return 0;
  for (std::string& seed : seeds) {
    seed.resize(std::min(seed.size(), options.max_bytes));
  }

  InputFile file;
  const absl::Time end = absl::Now() + options.time_limit;
  for (const std::string& seed : seeds) RunOne(entry_point, seed, &file);
  int64_t num_inputs = static_cast<int64_t>(seeds.size());
  Mutator mutator(options.seed, seeds, options.max_bytes);
  for (int64_t i = 0; i < options.num_mutations && absl::Now() < end;
       ++i, ++num_inputs) {
    RunOne(entry_point, mutator.Next(), &file);
  }
  return num_inputs;
}

std::vector<std::string> ReadCorpus(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> contents;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    contents.emplace_back(std::istreambuf_iterator<char>(file),
                          std::istreambuf_iterator<char>());
  }
  return contents;
}

}  // namespace quire::testing
