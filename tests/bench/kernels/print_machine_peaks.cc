// print_machine_peaks [THREADS]: what the machine gives at best right now, as
// one JSON object. The threads are two unless told otherwise.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/bench/kernels/machine_peaks.h"
#include "worker/executor/thread_pool.h"

int main(int argc, char** argv) {
  const int num_threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : 2;
  quire::ThreadPool pool(num_threads);
  const quire::MachinePeaks peaks = quire::MeasureMachinePeaks(&pool);
  std::cout << nlohmann::ordered_json{{"read_gigabytes_per_second",
                                       peaks.read_gigabytes_per_second},
                                      {"bf16_gigaflops", peaks.bf16_gigaflops},
                                      {"f32_gigaflops", peaks.f32_gigaflops},
                                      {"int8_gigaops", peaks.int8_gigaops}}
            << "\n";
}
