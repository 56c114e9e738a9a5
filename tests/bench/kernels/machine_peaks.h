#ifndef QUIRE_TESTS_BENCH_KERNELS_MACHINE_PEAKS_H_
#define QUIRE_TESTS_BENCH_KERNELS_MACHINE_PEAKS_H_

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
};
MachinePeaks MeasureMachinePeaks(ThreadPool* pool);

}  // namespace quire

#endif  // QUIRE_TESTS_BENCH_KERNELS_MACHINE_PEAKS_H_
