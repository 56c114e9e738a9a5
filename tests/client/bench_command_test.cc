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
  EXPECT_THAT(outcome.err, HasSubstr("2 of 2 requests failed, the first one:"));
  EXPECT_THAT(outcome.err, HasSubstr("RESOURCE_EXHAUSTED: full"));
}

TEST_F(BenchCommandTest, NamesAFileThatCannotBeRead) {
  EXPECT_THAT(Run({"bench", "no/such/file"}).err,
              HasSubstr("no/such/file: cannot be read: No such file"));
  EXPECT_EQ(Run({"bench", "/"}).err, "quire: /: a folder, not a file\n");
}

TEST_F(BenchCommandTest, NamesFileAndLineOfAnAbsurdFigure) {
  EXPECT_EQ(Run({"bench", "-"}, "{\"arrival_s\": 1e300}").err,
            "quire: standard input: line 1: arrival_s is 1e+300, must be a "
            "number, 0 to 604800\n");
}

TEST_F(BenchCommandTest, DeadlineEndsEachCall) {
  server_.hang = true;
  const Outcome outcome = Run({"bench", "-", "--deadline=20ms"}, kWorkload);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("DEADLINE_EXCEEDED"));
}

TEST_F(BenchCommandTest, FiguresThatCannotBeWrittenAreAnError) {
  const Outcome outcome = RunOnFullDisk({"bench", "-", "--json"}, kWorkload);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, kOutputIsLost);
}

TEST_F(BenchCommandTest, NeedsAWorkload) {
  EXPECT_THAT(Run({"bench"}).err, HasSubstr("takes one workload"));
}

}  // namespace
}  // namespace quire
