#include "worker/executor/control_group.h"

#include <algorithm>
#include <fstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace quire {
namespace {

// A kernel's "unlimited" in version 1 is the largest multiple of a page.
constexpr int64_t kUnlimited = int64_t{1} << 60;

// How one version of control groups names things.
struct Dialect {
  const char* memory_limit;
  const char* memory_usage;
  const char* droppable_cache;  // A line of memory.stat.
};
constexpr Dialect kVersion1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                               "total_inactive_file"};
constexpr Dialect kVersion2 = {"memory.max", "memory.current", "inactive_file"};

std::optional<int64_t> ReadNumber(const std::string& path) {
  const std::string text = ReadSmallFile(path);
  int64_t value = 0;
  if (!absl::SimpleAtoi(text, &value)) return std::nullopt;
  return value;
}

// The number after `key` in a file of lines "key number"; 0 where there is
// none.
int64_t ReadStat(const std::string& path, absl::string_view key) {
  const std::string text = ReadSmallFile(path);
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    int64_t value = 0;
    if (absl::ConsumePrefix(&line, key) && absl::ConsumePrefix(&line, " ") &&
        absl::SimpleAtoi(line, &value)) {
      return value;
    }
  }
  return 0;
}

template <typename T>
void LowerTo(std::optional<T>* least, T value) {
  if (!least->has_value() || value < **least) *least = value;
}

void AddMemory(const std::string& folder, const Dialect& dialect,
               ControlGroupLimits* limits) {
  const std::optional<int64_t> limit =
      ReadNumber(absl::StrCat(folder, "/", dialect.memory_limit));
  if (!limit.has_value() || *limit <= 0 || *limit >= kUnlimited) return;
  const int64_t usage =
      ReadNumber(absl::StrCat(folder, "/", dialect.memory_usage)).value_or(0);
  const int64_t cache =
      ReadStat(absl::StrCat(folder, "/memory.stat"), dialect.droppable_cache);
  const int64_t held = std::max<int64_t>(usage - cache, 0);
  LowerTo(&limits->memory_room, std::max<int64_t>(*limit - held, 0));
}

void AddQuota(double quota, double period, ControlGroupLimits* limits) {
  if (quota > 0 && period > 0) LowerTo(&limits->cpu_quota, quota / period);
}

void AddCpu1(const std::string& folder, ControlGroupLimits* limits) {
  AddQuota(ReadNumber(absl::StrCat(folder, "/cpu.cfs_quota_us")).value_or(-1),
           ReadNumber(absl::StrCat(folder, "/cpu.cfs_period_us")).value_or(0),
           limits);
}

// cpu.max is "quota period" or "max period".
void AddCpu2(const std::string& folder, ControlGroupLimits* limits) {
  const std::string text = ReadSmallFile(absl::StrCat(folder, "/cpu.max"));
  const std::vector<std::string> words =
      absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  double quota = 0;
  double period = 0;
  if (words.size() == 2 && absl::SimpleAtod(words[0], &quota) &&
      absl::SimpleAtod(words[1], &period)) {
    AddQuota(quota, period, limits);
  }
}

// Calls visit with the folder of `group` below `mount` and of each ancestor.
// Inside a container the group's outer path may not exist; its files then lie
// at the mount itself, which is visited in any case.
template <typename Visit>
void VisitUpwards(const std::string& mount, absl::string_view group,
                  const Visit& visit) {
  std::string path(absl::StripSuffix(group, "/"));
  while (!path.empty()) {
    visit(absl::StrCat(mount, path));
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
  visit(mount);
}

}  // namespace

std::string ReadSmallFile(const std::string& path) {
  constexpr size_t kMaxBytes = 64 << 10;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxBytes, '\0');
  file.read(text.data(), kMaxBytes);
  text.resize(file.gcount());
  return text;
}

ControlGroupLimits ReadControlGroupLimits(const std::string& root) {
  ControlGroupLimits limits;
  const std::string mounts = root + "/sys/fs/cgroup";
  const std::string groups = ReadSmallFile(root + "/proc/self/cgroup");
  // Lines are "id:controllers:path"; version 2 has no controllers.
  for (absl::string_view line : absl::StrSplit(groups, '\n')) {
    const std::vector<absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[1].empty()) {
      VisitUpwards(mounts, parts[2], [&](const std::string& folder) {
        AddMemory(folder, kVersion2, &limits);
        AddCpu2(folder, &limits);
      });
    }
    for (absl::string_view controller : absl::StrSplit(parts[1], ',')) {
      if (controller == "memory") {
        VisitUpwards(mounts + "/memory", parts[2],
                     [&](const std::string& folder) {
                       AddMemory(folder, kVersion1, &limits);
                     });
      } else if (controller == "cpu") {
        VisitUpwards(mounts + "/cpu", parts[2], [&](const std::string& folder) {
          AddCpu1(folder, &limits);
        });
      }
    }
  }
  return limits;
}

}  // namespace quire
