#ifndef QUIRE_WORKER_EXECUTOR_CPU_BUDGET_H_
#define QUIRE_WORKER_EXECUTOR_CPU_BUDGET_H_

#include <string>

namespace quire {

// Threads that can run at once: processors that this process may use (its
// affinity, which a control group's cpuset narrows), but not more than its
// control group's quota pays for, rounded down. At least 1. More threads than
// that are throttled in the middle of a step, and all others wait for them.
// `root` is "" but in tests.
int DefaultNumThreads(const std::string& root);

// The rule itself. cpu_quota: processors, 0 = no limit.
int NumThreads(int usable_processors, double cpu_quota);

// The part of `num_threads` that falls to a rank of a group whose ranks share
// them: as even as can be, at least 1.
int ThreadsOfRank(int num_threads, int rank, int num_ranks);

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_CPU_BUDGET_H_
