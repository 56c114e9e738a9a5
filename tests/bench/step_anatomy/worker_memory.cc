#include "tests/bench/step_anatomy/worker_memory.h"

#include <fstream>
#include <sstream>

namespace quire {
namespace {

// Of a line "NAME: 123 kB", where it is that; else 0.
int64_t BytesOf(const std::string& name, const std::string& line) {
  std::istringstream words(line);
  std::string word;
  int64_t kilobytes = 0;
  if (!(words >> word >> kilobytes) || word != name + ":") return 0;
  return kilobytes * 1024;
}

std::ifstream Open(pid_t process, const std::string& name) {
  return std::ifstream("/proc/" + std::to_string(process) + "/" + name);
}

}  // namespace

int64_t PeakResidentBytes(pid_t process) {
  std::ifstream file = Open(process, "status");
  int64_t bytes = 0;
  for (std::string line; std::getline(file, line);) {
    bytes += BytesOf("VmHWM", line);
  }
  return bytes;
}

// A mapping is a line of hexadecimal numbers that ends in its path, then lines
// of figures, whose names begin with capitals.
int64_t ResidentBytesOfFile(pid_t process, const std::string& path) {
  std::ifstream file = Open(process, "smaps");
  int64_t bytes = 0;
  bool is_of_file = false;
  for (std::string line; std::getline(file, line);) {
    const bool begins_mapping =
        !line.empty() && (line[0] < 'A' || line[0] > 'Z');
    if (begins_mapping) is_of_file = line.ends_with(" " + path);
    if (is_of_file) bytes += BytesOf("Rss", line);
  }
  return bytes;
}

}  // namespace quire
