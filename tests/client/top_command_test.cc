#include "client/top_command.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/command_fixture.h"

namespace quire {
namespace {

using testing::HasSubstr;
using testing::Not;

// terminal_session_test shows the live view.
class TopCommandTest : public CommandTest {
 protected:
  TopCommandTest() : CommandTest(TopCommand()) {
    for (const int seconds : {10, 12}) {
      auto& frame = server_.frames.emplace_back();
      frame.mutable_status()->set_ready(true);
      frame.mutable_status()->set_uptime_s(seconds);
      frame.mutable_status()->set_generated_tokens(100 * seconds);
      frame.mutable_status()->mutable_blocks()->set_total(3);
      frame.set_blocks(std::string("\x3d\x02\x00", 3));
    }
  }
};

TEST_F(TopCommandTest, OnceShowsOnePictureWithoutEscapeCodes) {
  const Outcome outcome = Run({"top", "--once"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\n█░·\n"));
  EXPECT_THAT(outcome.out, HasSubstr(server_.address()));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b")));
}

TEST_F(TopCommandTest, OnceKnowsTheSpeedOfAnInterval) {
  EXPECT_THAT(Run({"top", "--once"}).out, HasSubstr("100.0 generated/s"));
}

TEST_F(TopCommandTest, WritesPicturesInJson) {
  const auto json = nlohmann::json::parse(Run({"top", "--once", "--json"}).out);
  EXPECT_EQ(json["blocks"], nlohmann::json({0x3d, 2, 0}));
  EXPECT_EQ(json["status"]["blocks"]["total"], 3);
  EXPECT_EQ(json["status"]["uptime_s"], 10);
}

TEST_F(TopCommandTest, NeedsATerminalForTheLiveView) {
  EXPECT_THAT(Run({"top"}).err, HasSubstr("needs a terminal"));
}

TEST_F(TopCommandTest, AsksForTheInterval) {
  Run({"top", "--once", "--interval=2s"});
  EXPECT_EQ(server_.last_watch().interval_ms(), 2000);
}

TEST_F(TopCommandTest, RefusesAnIntervalBeyondTheLimits) {
  for (const std::string interval : {"-1s", "0", "49ms", "61s", "inf"}) {
    const Outcome outcome = Run({"top", "--once", "--interval=" + interval});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(", must be 50ms to 60s"));
  }
}

TEST_F(TopCommandTest, StopsWherePicturesCannotBeWritten) {
  for (const std::string flag : {"--once", "--json"}) {
    const Outcome outcome = RunOnFullDisk({"top", flag});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.err, kOutputIsLost);
  }
}

TEST_F(TopCommandTest, AnErrorOfTheServerIsTold) {
  server_.frames.clear();
  server_.watch_status = {grpc::StatusCode::INVALID_ARGUMENT,
                          "interval_ms is 1, at least 50"};
  const Outcome outcome = Run({"top", "--once"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("interval_ms is 1, at least 50"));
}

}  // namespace
}  // namespace quire
