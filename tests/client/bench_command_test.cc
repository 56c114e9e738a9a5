#include "client/bench_command.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/command_fixture.h"

namespace quire {
namespace {

using testing::HasSubstr;

constexpr char kWorkload[] =
    R"({"id": 0, "arrival_s": 0, "prompt_ids": [5, 6], "max_tokens": 2}
{"id": 1, "arrival_s": 0, "prompt_ids": [7], "max_tokens": 2}
)";

class BenchCommandTest : public CommandTest {
 protected:
  BenchCommandTest() : CommandTest(BenchCommand()) {
    server_.AddText("ab");
    server_.AddEnd(quire::v1::FINISH_REASON_LENGTH, "");
  }
};

TEST_F(BenchCommandTest, PrintsTheFiguresOfAWorkload) {
  const Outcome outcome = Run({"bench", "-"}, kWorkload);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("requests            2, 0 failed"));
}

TEST_F(BenchCommandTest, WritesFiguresInJson) {
  const auto json = nlohmann::json::parse(
      Run({"bench", "-", "--json", "--sequential"}, kWorkload).out);
  EXPECT_EQ(json["requests"], 2);
  EXPECT_GT(json["output_tok_s"], 0);
}

TEST_F(BenchCommandTest, FailuresOfTheServerFailTheCommand) {
  server_.generate_status = {grpc::StatusCode::RESOURCE_EXHAUSTED, "full"};
  const Outcome outcome = Run({"bench", "-", "--json"}, kWorkload);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["failed"], 2);
  EXPECT_THAT(outcome.err, HasSubstr("RESOURCE_EXHAUSTED: full"));
}

TEST_F(BenchCommandTest, NamesAFileThatCannotBeRead) {
  EXPECT_THAT(Run({"bench", "no/such/file"}).err,
              HasSubstr("cannot read no/such/file"));
}

TEST_F(BenchCommandTest, NeedsAWorkload) {
  EXPECT_THAT(Run({"bench"}).err, HasSubstr("takes one workload"));
}

}  // namespace
}  // namespace quire
