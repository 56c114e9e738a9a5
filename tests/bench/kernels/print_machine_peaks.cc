// print_machine_peaks [THREADS]: what the machine gives at best right now, as
// one JSON object. The threads are two unless told otherwise.

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "tests/bench/kernels/machine_peaks.h"
#include "worker/executor/thread_pool.h"

int main(int argc, char** argv) {
  const int num_threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : 2;
  quire::ThreadPool pool(num_threads);
  std::cout << quire::Describe(quire::MeasureMachinePeaks(&pool)) << "\n";
}
