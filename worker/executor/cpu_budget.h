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

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_CPU_BUDGET_H_
