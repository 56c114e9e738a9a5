#include "client/detokenize_command.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command_fixture.h"

namespace quire {
namespace {

using testing::HasSubstr;

class DetokenizeCommandTest : public CommandTest {
 protected:
  DetokenizeCommandTest() : CommandTest(DetokenizeCommand()) {}
};

TEST_F(DetokenizeCommandTest, PrintsTheTextOfIds) {
  EXPECT_EQ(Run({"detokenize", "97", "98,99"}).out, "abc\n");
}

TEST_F(DetokenizeCommandTest, ReadsIdsFromStandardInput) {
  EXPECT_EQ(Run({"detokenize", "-"}, "97 98\n99\n").out, "abc\n");
}

TEST_F(DetokenizeCommandTest, AnswersLinesOfJsonInOrder) {
  EXPECT_EQ(
      Run({"detokenize", "--json"}, "{\"ids\": [97]}\n{\"ids\": []}\n").out,
      "{\"text\":\"a\"}\n{\"text\":\"\"}\n");
}

TEST_F(DetokenizeCommandTest, RefusesWhatIsNoId) {
  EXPECT_THAT(Run({"detokenize", "97", "b"}).err, HasSubstr("\"b\""));
  EXPECT_THAT(Run({"detokenize", "--json"}, "{\"ids\": [\"x\"]}\n").err,
              HasSubstr("line 1: ids[0] is \"x\", must be a token id"));
  EXPECT_THAT(Run({"detokenize", "--json"}, "{}\n").err,
              HasSubstr("line 1: ids is missing"));
}

TEST_F(DetokenizeCommandTest, RefusesANumberThatIsTooLargeForAnId) {
  const Outcome outcome =
      Run({"detokenize", "--json"}, "{\"ids\": [4294967393]}\n");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("ids[0] is 4294967393"));
}

TEST_F(DetokenizeCommandTest, TextThatCannotBeWrittenIsAnError) {
  const Outcome outcome = RunOnFullDisk({"detokenize", "97"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, kOutputIsLost);
}

}  // namespace
}  // namespace quire
