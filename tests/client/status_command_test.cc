#include "client/status_command.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/command_fixture.h"

namespace quire {
namespace {

using testing::HasSubstr;

class StatusCommandTest : public CommandTest {
 protected:
  StatusCommandTest() : CommandTest(StatusCommand()) {
    server_.model.set_name("tiny");
    server_.status.set_ready(true);
    server_.status.set_generated_tokens(1234);
  }
};

TEST_F(StatusCommandTest, ShowsATable) {
  const Outcome outcome = Run({"status"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("server     ready"));
  EXPECT_THAT(outcome.out, HasSubstr("1,234 generated"));
}

TEST_F(StatusCommandTest, WritesJsonForPrograms) {
  const auto json = nlohmann::json::parse(Run({"status", "--json"}).out);
  EXPECT_EQ(json["ready"], true);
  EXPECT_EQ(json["generated_tokens"], 1234);
  EXPECT_EQ(json["model"]["name"], "tiny");
}

TEST_F(StatusCommandTest, RefusesArguments) {
  EXPECT_EQ(Run({"status", "now"}).exit_code, 2);
}

TEST_F(StatusCommandTest, StatusThatCannotBeWrittenIsAnError) {
  for (const std::string flag : {"--json", "--nojson"}) {
    const Outcome outcome = RunOnFullDisk({"status", flag});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.err, kOutputIsLost);
  }
}

}  // namespace
}  // namespace quire
