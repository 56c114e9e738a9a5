#include "client/trace_file.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

absl::StatusOr<Trace> Read(const std::string& text) {
  std::istringstream in(text);
  return ReadTrace(in);
}

std::string ErrorOf(const std::string& text) {
  return std::string(Read(text).status().message());
}

TEST(TraceFileTest, ReadsRequestsInOrderOfArrival) {
  const Trace trace = *Read(
      R"({"arrival_s": 2, "prompt_tokens": 5, "output_tokens": 6, "n": 3}
{"id": 0, "arrival_s": 0.5, "prompt_ids": [7, 8], "max_tokens": 4}
)");
  ASSERT_EQ(trace.size(), 2);
  EXPECT_EQ(trace[0].arrival, absl::Milliseconds(500));
  EXPECT_EQ(trace[0].prompt_tokens, 2);
  EXPECT_THAT(trace[0].prompt_ids, ElementsAre(7, 8));
  EXPECT_EQ(trace[0].output_tokens, 4);
  EXPECT_EQ(trace[0].num_sequences, 1);
  EXPECT_EQ(trace[1].prompt_tokens, 5);
  EXPECT_EQ(trace[1].output_tokens, 6);
  EXPECT_EQ(trace[1].num_sequences, 3);
}

TEST(TraceFileTest, SharingIsRecordedWithoutTheTokens) {
  const Trace trace = *Read(
      R"({"arrival_s": 0, "prompt_tokens": 50, "shared_tokens": 32, "group": 3, "output_tokens": 1}
{"arrival_s": 1, "prompt_tokens": 60, "shared_tokens": 32, "group": 3, "output_tokens": 1}
)");
  const std::vector<Token> one = PromptOf(trace[0], 0);
  const std::vector<Token> other = PromptOf(trace[1], 1);
  EXPECT_EQ(std::ranges::mismatch(one, other).in1 - one.begin(), 32);
}

TEST(TraceFileTest, NamesLineAndField) {
  const std::string good =
      R"({"arrival_s": 0, "prompt_tokens": 1, "output_tokens": 1})";
  EXPECT_THAT(ErrorOf(good + "\n{\"arrival_s\": 0}"),
              HasSubstr("line 2: prompt_tokens is missing"));
  EXPECT_THAT(ErrorOf(R"({"arrival_s": 0, "prompt_ids": []})"),
              HasSubstr("line 1: prompt_ids is empty"));
  EXPECT_THAT(ErrorOf(R"({"arrival_s": 0, "prompt_tokens": 1})"),
              HasSubstr("output_tokens is missing"));
  EXPECT_THAT(
      ErrorOf(R"({"arrival_s": 0, "prompt_tokens": 1, "max_tokens": 0})"),
      HasSubstr("max_tokens is 0"));
  EXPECT_THAT(
      ErrorOf(R"({"arrival_s": 0, "prompt_tokens": 4e9, "max_tokens": 1})"),
      HasSubstr("prompt_tokens is 4"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("the trace has no requests"));
  EXPECT_THAT(
      ErrorOf(R"({"arrival_s": 0, "prompt_tokens": 4, "shared_tokens": 5,)"
              R"("max_tokens": 1})"),
      HasSubstr("shared_tokens is 5, must be 1 to 4"));
  EXPECT_THAT(
      ErrorOf(R"({"arrival_s": 0, "prompt_ids": [4], "shared_tokens": 1,)"
              R"("max_tokens": 1})"),
      HasSubstr("shared_tokens stands beside prompt_ids"));
}

}  // namespace
}  // namespace quire
