#include "client/tokenize_command.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command_fixture.h"

namespace quire {
namespace {

using testing::HasSubstr;

class TokenizeCommandTest : public CommandTest {
 protected:
  TokenizeCommandTest() : CommandTest(TokenizeCommand()) {}
};

TEST_F(TokenizeCommandTest, PrintsTheIdsOfAText) {
  EXPECT_EQ(Run({"tokenize", "abc"}).out, "97 98 99\n");
}

TEST_F(TokenizeCommandTest, ReadsTheTextFromStandardInput) {
  EXPECT_EQ(Run({"tokenize", "-"}, "a\n").out, "97 10\n");
}

TEST_F(TokenizeCommandTest, AnswersLinesOfJsonInOrder) {
  const Outcome outcome =
      Run({"tokenize", "--json"}, "{\"text\": \"ab\"}\n{\"text\": \"\"}\n");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "{\"ids\":[97,98]}\n{\"ids\":[]}\n");
}

TEST_F(TokenizeCommandTest, AnswersATextInJson) {
  EXPECT_EQ(Run({"tokenize", "--json", "a"}).out, "{\"ids\":[97]}\n");
}

TEST_F(TokenizeCommandTest, SaysWhichLineIsWrong) {
  const Outcome outcome =
      Run({"tokenize", "--json"}, "{\"text\": \"a\"}\n\nnonsense\n");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "{\"ids\":[97]}\n");
  EXPECT_THAT(outcome.err, HasSubstr("quire: line 3: not JSON: column 2"));
}

TEST_F(TokenizeCommandTest, RefusesALineWithoutText) {
  EXPECT_THAT(Run({"tokenize", "--json"}, "{\"text\": 5}\n").err,
              HasSubstr("line 1: text is 5, must be a string"));
}

TEST_F(TokenizeCommandTest, StopsWhereAnswersCannotBeWritten) {
  const Outcome outcome = RunOnFullDisk(
      {"tokenize", "--json"}, "{\"text\": \"first\"}\n{\"text\": \"2\"}\n");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, "quire: line 1: standard output cannot be written\n");
  EXPECT_EQ(server_.last_tokenize().text(), "first");
}

TEST_F(TokenizeCommandTest, PassesOnHowTheTextIsRead) {
  Run({"tokenize", "--noparse_special", "--add_special=false", "a"});
  EXPECT_TRUE(server_.last_tokenize().has_parse_special());
  EXPECT_FALSE(server_.last_tokenize().parse_special());
  EXPECT_FALSE(server_.last_tokenize().add_special());
}

}  // namespace
}  // namespace quire
