#ifndef QUIRE_TESTS_TESTING_FUZZ_DRIVER_H_
#define QUIRE_TESTS_TESTING_FUZZ_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace quire::testing {

// Runs a libFuzzer entry point inside an ordinary test: over a folder of seeds
// and over seeded random mutations of them. A fuzzer is then two targets around
// one function, `extern "C" int LLVMFuzzerTestOneInput(const uint8_t*,
// size_t)`, in a cc_library: a cc_binary tagged "manual" that is built with
// --config=fuzz, and a cc_test that says
//
//   EXPECT_GT(RunFuzzer(LLVMFuzzerTestOneInput, {.corpus =
//   "tests/fuzz/x/corpus/y"}), 0);
//
// The function's findings are crashes, of its own checks too; its result is
// ignored.
using FuzzEntryPoint = int (*)(const uint8_t* data, size_t size);

struct FuzzOptions {
  // Folder of seeds, below the workspace root (a test's `data`); every file in
  // it is one.
  std::string corpus;
  // Further seeds, for those that are easier made than stored.
  std::vector<std::string> seeds;
  // The i-th mutation depends only on `seed`, i and the seeds.
  uint64_t seed = 1;
  int64_t num_mutations = 20'000;
  // Ends the run early on a slow machine.
  absl::Duration time_limit = absl::Seconds(2);
  size_t max_bytes = size_t{1} << 16;
};

// Returns how many inputs were run; 0 if there is no seed. The input that is
// being run lies in the file "fuzz_input" in $TEST_UNDECLARED_OUTPUTS_DIR (or
// $TEST_TMPDIR, or /tmp), so that a crash leaves it behind.
int64_t RunFuzzer(FuzzEntryPoint entry_point, const FuzzOptions& options);

// The contents of the files in a folder, in order of their names.
std::vector<std::string> ReadCorpus(const std::string& folder);

}  // namespace quire::testing

#endif  // QUIRE_TESTS_TESTING_FUZZ_DRIVER_H_
