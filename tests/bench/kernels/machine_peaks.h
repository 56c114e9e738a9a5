#ifndef QUIRE_TESTS_BENCH_KERNELS_MACHINE_PEAKS_H_
#define QUIRE_TESTS_BENCH_KERNELS_MACHINE_PEAKS_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "worker/executor/thread_pool.h"

namespace quire {

// What the machine gives at best right now, with all threads of the pool: the
// yardstick of every speed measured in the same run, because virtual machines
// change under one's hands. Best of several windows of some milliseconds.
struct MachinePeaks {
  double read_gigabytes_per_second = 0;  // Memory that no cache holds.
  double bf16_gigaflops = 0;  // Products of bf16 pairs; 0 where there are none.
  double f32_gigaflops = 0;   // The widest fused multiply-adds.
  double int8_gigaops = 0;    // Dot products of int8 in vectors; 0 as above.
  double amx_bf16_gigaflops = 0;  // Products in tiles of AMX; 0 as above.
};
// By name, with what the machine lacks left out.
nlohmann::ordered_json Describe(const MachinePeaks& peaks);

// `cold_bytes` are read for the first.
MachinePeaks MeasureMachinePeaks(ThreadPool* pool,
                                 int64_t cold_bytes = int64_t{256} << 20);

// Of one read of [data, data + num_bytes), each thread its part from front to
// back. `data` is aligned to lines, and another 8 KiB behind it may be fetched.
double LinearReadSeconds(ThreadPool* pool, const std::byte* data,
                         int64_t num_bytes);

}  // namespace quire

#endif  // QUIRE_TESTS_BENCH_KERNELS_MACHINE_PEAKS_H_
