#ifndef QUIRE_TESTS_BENCH_KERNELS_BENCH_CLOCK_H_
#define QUIRE_TESTS_BENCH_KERNELS_BENCH_CLOCK_H_

#include <chrono>

namespace quire {

// Of the clock that benchmarks measure by.
inline double SecondsNow() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace quire

#endif  // QUIRE_TESTS_BENCH_KERNELS_BENCH_CLOCK_H_
