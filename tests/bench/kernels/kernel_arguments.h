#ifndef QUIRE_TESTS_BENCH_KERNELS_KERNEL_ARGUMENTS_H_
#define QUIRE_TESTS_BENCH_KERNELS_KERNEL_ARGUMENTS_H_

#include <cstdint>
#include <optional>

#include "kernels/instruction_set.h"

namespace quire {

// What can be said to a benchmark of kernels.
struct KernelArguments {
  bool quick = false;
  int num_threads = 2;
  InstructionSet instruction_set = BestInstructionSet();
  // Memory that is cold when its turn comes again: more than the caches hold,
  // of which a virtual machine may see only its neighbours' size.
  int64_t cold_bytes = 0;
};

// [--quick] [--threads=N] [--instruction_set=NAME] [--cold_mb=N]. The last one
// has a default for the quick and one for the full form, in MiB. Nothing where
// the line is wrong or this machine lacks the instruction set.
std::optional<KernelArguments> ParseKernelArguments(int argc, char** argv,
                                                    int64_t quick_cold_mb,
                                                    int64_t full_cold_mb);

}  // namespace quire

#endif  // QUIRE_TESTS_BENCH_KERNELS_KERNEL_ARGUMENTS_H_
