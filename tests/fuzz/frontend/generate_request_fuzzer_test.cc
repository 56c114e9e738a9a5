#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "quire/v1/quire.pb.h"
#include "tests/fuzz/frontend/random_message.h"
#include "tests/testing/fuzz_driver.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace quire {
namespace {

using ::quire::testing::FillRandomly;
using ::quire::testing::RunFuzzer;

std::vector<std::string> RandomRequests(int count) {
  std::mt19937_64 random(1);
  std::vector<std::string> requests;
  for (int i = 0; i < count; ++i) {
    v1::GenerateRequest request;
    FillRandomly(random, &request);
    requests.push_back(request.SerializeAsString());
  }
  return requests;
}

TEST(GenerateRequestFuzzer, AcceptsOrRefusesWhateverComes) {
  EXPECT_GT(RunFuzzer(LLVMFuzzerTestOneInput, {.seeds = RandomRequests(5000)}),
            0);
}

}  // namespace
}  // namespace quire
