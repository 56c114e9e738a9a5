#include "client/chat_command.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command_fixture.h"

namespace quire {
namespace {

using testing::HasSubstr;

// A conversation over pipes; terminal_session_test holds one at a terminal.
class ChatCommandTest : public CommandTest {
 protected:
  ChatCommandTest() : CommandTest(ChatCommand()) {}
};

TEST_F(ChatCommandTest, AnswersEachLineOfAPipe) {
  server_.AddText("Yes.");
  server_.AddEnd(quire::v1::FINISH_REASON_STOP, "");
  const Outcome outcome = Run({"chat"}, "One?\nTwo?\n");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "Yes.\nYes.\n");
  const auto requests = server_.requests();
  ASSERT_EQ(requests.size(), 2);
  EXPECT_EQ(requests[1].chat().messages_size(), 3);
  EXPECT_EQ(requests[1].chat().messages(1).content(), "Yes.");
}

TEST_F(ChatCommandTest, SendsTheSystemMessageAndTheSamplingFlags) {
  Run({"chat", "--system=Be brief.", "--temperature=0"}, "Hi\n");
  const auto request = server_.requests().at(0);
  EXPECT_EQ(request.chat().messages(0).role(), "system");
  EXPECT_EQ(request.chat().messages(0).content(), "Be brief.");
  EXPECT_TRUE(request.sampling().has_temperature());
}

TEST_F(ChatCommandTest, AnErrorEndsAConversationOverAPipe) {
  server_.generate_status = {grpc::StatusCode::FAILED_PRECONDITION,
                             "no chat template"};
  const Outcome outcome = Run({"chat"}, "One?\nTwo?\n");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("no chat template"));
  EXPECT_EQ(server_.requests().size(), 1);
}

TEST_F(ChatCommandTest, WritesEventsInJson) {
  server_.AddText("Yes.");
  EXPECT_THAT(Run({"chat", "--json"}, "One?\n").out,
              HasSubstr(R"("text":"Yes.")"));
}

TEST_F(ChatCommandTest, EndsWhereAnswersCannotBeWritten) {
  server_.AddText("Yes.");
  server_.hang = true;
  const Outcome outcome = RunOnFullDisk({"chat"}, "One?\nTwo?\n");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, kOutputIsLost);
  EXPECT_EQ(server_.requests().size(), 1);
}

}  // namespace
}  // namespace quire
