#ifndef QUIRE_TESTS_BENCH_STEP_ANATOMY_WORKER_MEMORY_H_
#define QUIRE_TESTS_BENCH_STEP_ANATOMY_WORKER_MEMORY_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace quire {

// The most that the process ever had resident.
int64_t PeakResidentBytes(pid_t process);
// What it has resident now of a file that it maps.
int64_t ResidentBytesOfFile(pid_t process, const std::string& path);

}  // namespace quire

#endif  // QUIRE_TESTS_BENCH_STEP_ANATOMY_WORKER_MEMORY_H_
