#ifndef QUIRE_WORKER_EXECUTOR_CONTROL_GROUP_H_
#define QUIRE_WORKER_EXECUTOR_CONTROL_GROUP_H_

#include <cstdint>
#include <optional>
#include <string>

namespace quire {

// What the control groups that this process lives in, version 1 or 2 and all
// their ancestors, leave it. Absent: no limit.
struct ControlGroupLimits {
  // Bytes that may still be taken: the least of limit - (usage - page cache
  // that can be dropped).
  std::optional<int64_t> memory_room;
  // Processors' worth of time: the least of quota / period.
  std::optional<double> cpu_quota;
};

// Reads `root`/proc/self/cgroup and the files below `root`/sys/fs/cgroup. Files
// that are missing or make no sense count as no limit: a worker must start
// anywhere. `root` is "" but in tests.
ControlGroupLimits ReadControlGroupLimits(const std::string& root);

// The contents of a small file, at most 64 KiB of it; empty where it cannot be
// read.
std::string ReadSmallFile(const std::string& path);

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_CONTROL_GROUP_H_
