#include "worker/executor/cpu_budget.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "worker/executor/control_group.h"

namespace quire {
namespace {

int UsableProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  // Machines with more processors than the set has bits.
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

int DefaultNumThreads(const std::string& root) {
  return NumThreads(UsableProcessors(),
                    ReadControlGroupLimits(root).cpu_quota.value_or(0));
}

int NumThreads(int usable_processors, double cpu_quota) {
  double threads = usable_processors;
  if (cpu_quota > 0) threads = std::min(threads, std::floor(cpu_quota));
  return std::max(static_cast<int>(threads), 1);
}

int ThreadsOfRank(int num_threads, int rank, int num_ranks) {
  const int begin = num_threads * rank / num_ranks;
  const int end = num_threads * (rank + 1) / num_ranks;
  return std::max(end - begin, 1);
}

}  // namespace quire
