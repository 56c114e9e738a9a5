#include "tests/testing/fuzz_driver.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/testing/temporary_folder.h"

namespace quire::testing {
namespace {

// What the entry point was called with.
std::vector<std::string>* inputs = nullptr;

int Record(const uint8_t* data, size_t size) {
  inputs->emplace_back(reinterpret_cast<const char*>(data), size);
  return 0;
}

int AbortOnTheWordCrash(const uint8_t* data, size_t size) {
  if (std::string(reinterpret_cast<const char*>(data), size) == "crash")
    std::abort();
  return 0;
}

std::vector<std::string> InputsOf(const FuzzOptions& options) {
  std::vector<std::string> seen;
  inputs = &seen;
  const int64_t num_inputs = RunFuzzer(Record, options);
  EXPECT_EQ(num_inputs, static_cast<int64_t>(seen.size()));
  return seen;
}

TEST(FuzzDriver, SeedsComeFirstThenAsManyMutations) {
  const auto seen = InputsOf({.seeds = {"one", "two"},
                              .num_mutations = 100,
                              .time_limit = absl::Hours(1)});
  ASSERT_EQ(seen.size(), 102u);
  EXPECT_EQ(seen[0], "one");
  EXPECT_EQ(seen[1], "two");
}

TEST(FuzzDriver, SameSeedMeansSameInputs) {
  FuzzOptions options = {.seeds = {"some seed", "another"},
                         .num_mutations = 1000,
                         .time_limit = absl::Hours(1)};
  const auto first = InputsOf(options);
  EXPECT_EQ(InputsOf(options), first);
  options.seed = 2;
  EXPECT_NE(InputsOf(options), first);
}

TEST(FuzzDriver, CorpusIsReadInOrderOfNames) {
  const TemporaryFolder folder;
  folder.Write("b", "second");
  folder.Write("a", std::string("fir\0st", 6));
  EXPECT_EQ(ReadCorpus(folder.path()),
            (std::vector<std::string>{std::string("fir\0st", 6), "second"}));
  EXPECT_EQ(InputsOf({.corpus = folder.path(), .num_mutations = 0}).size(), 2u);
}

TEST(FuzzDriver, NoSeedMeansNoRun) {
  EXPECT_TRUE(InputsOf({}).empty());
  EXPECT_TRUE(InputsOf({.corpus = "no/such/folder"}).empty());
}

TEST(FuzzDriver, InputsStayWithinTheLimit) {
  for (const auto& input : InputsOf({.seeds = {std::string(100, 'x')},
                           .num_mutations = 1000,
                           .max_bytes = 64})) {
    EXPECT_LE(input.size(), 64u);
  }
}

TEST(FuzzDriver, EmptySeedIsMutatedToo) {
  EXPECT_EQ(
      InputsOf(
          {.seeds = {""}, .num_mutations = 1000, .time_limit = absl::Hours(1)})
          .size(),
      1001u);
}

void CrashIn(const std::string& folder) {
  setenv("TEST_UNDECLARED_OUTPUTS_DIR", folder.c_str(), /*overwrite=*/1);
  RunFuzzer(AbortOnTheWordCrash, {.seeds = {"fine", "crash"}});
}

TEST(FuzzDriverDeathTest, CrashLeavesItsInputBehind) {
  const TemporaryFolder folder;
  EXPECT_DEATH(CrashIn(folder.path()), "");
  EXPECT_EQ(ReadCorpus(folder.path()), std::vector<std::string>{"crash"});
}

}  // namespace
}  // namespace quire::testing
