#include "client/bench_workload.h"

#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

std::string ErrorOf(const std::string& text) {
  std::istringstream in(text);
  return std::string(ReadWorkload(in).status().message());
}

TEST(BenchWorkloadTest, ReadsRequestsInOrderOfArrival) {
  std::istringstream in(
      R"({"id": 0, "arrival_s": 1.5, "prompt_ids": [5, 6], "max_tokens": 9}
{"id": 1, "arrival_s": 0, "prompt_ids": [7], "max_tokens": 1})");
  const auto items = ReadWorkload(in);
  ASSERT_TRUE(items.ok()) << items.status();
  ASSERT_EQ(items->size(), 2);
  EXPECT_THAT((*items)[0].prompt_ids, ElementsAre(7));
  EXPECT_THAT((*items)[1].prompt_ids, ElementsAre(5, 6));
  EXPECT_EQ((*items)[1].arrival, absl::Milliseconds(1500));
  EXPECT_EQ((*items)[1].max_tokens, 9);
}

TEST(BenchWorkloadTest, NamesTheLineAndTheField) {
  EXPECT_EQ(ErrorOf(R"({"prompt_ids": [1], "max_tokens": 1})"),
            "line 1: arrival_s is missing");
  EXPECT_EQ(ErrorOf(R"({"arrival_s": 0, "prompt_ids": [], "max_tokens": 1})"),
            "line 1: prompt_ids is empty");
  EXPECT_EQ(
      ErrorOf(R"({"arrival_s": 0, "prompt_ids": [1], "max_tokens": -1})"),
      "line 1: max_tokens is -1, must be a whole number, 1 to 4294967295");
}

TEST(BenchWorkloadTest, RefusesTimesThatNeverCome) {
  for (const std::string seconds : {"1e300", "-0.5", "604801"}) {
    EXPECT_THAT(ErrorOf("{\"arrival_s\": " + seconds + "}"),
                EndsWith(", must be a number, 0 to 604800"));
  }
}

TEST(BenchWorkloadTest, RefusesAnEmptyWorkload) {
  EXPECT_EQ(ErrorOf("\n"), "the workload has no requests");
}

}  // namespace
}  // namespace quire
