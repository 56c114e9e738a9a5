#include "client/generate_command.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/command_fixture.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class GenerateCommandTest : public CommandTest {
 protected:
  GenerateCommandTest() : CommandTest(GenerateCommand()) {}

  // The request that the command line sends.
  quire::v1::GenerateRequest Sent(std::vector<std::string> words,
                                  const std::string& input = "") {
    words.insert(words.begin(), "generate");
    const Outcome outcome = Run(words, input);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return server_.requests().back();
  }

  std::vector<nlohmann::json> Events(std::vector<std::string> words) {
    words.insert(words.begin(), {"generate", "--json"});
    std::istringstream lines(Run(words).out);
    std::vector<nlohmann::json> events;
    for (std::string line; std::getline(lines, line);) {
      events.push_back(nlohmann::json::parse(line));
    }
    return events;
  }
};

TEST_F(GenerateCommandTest, StreamsTextAndEndsTheLine) {
  server_.AddText("Hello");
  server_.AddText(", world");
  server_.AddEnd(quire::v1::FINISH_REASON_LENGTH, "");
  const Outcome outcome = Run({"generate", "Say hello"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "Hello, world\n");
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(GenerateCommandTest, SendsThePromptAsText) {
  const auto request = Sent({"Once upon"});
  EXPECT_EQ(request.text(), "Once upon");
  EXPECT_TRUE(request.parse_special());
}

TEST_F(GenerateCommandTest, ReadsThePromptFromStandardInput) {
  EXPECT_EQ(Sent({"-"}, "two\nlines\n").text(), "two\nlines\n");
}

TEST_F(GenerateCommandTest, SendsTokenIdsAsThePrompt) {
  EXPECT_THAT(Sent({"--token_ids=1,22,333"}).token_ids().ids(),
              ElementsAre(1, 22, 333));
}

TEST_F(GenerateCommandTest, SendsAChatWithItsSystemMessage) {
  const auto chat = Sent({"--chat", "--system=Be brief.", "Why?"}).chat();
  ASSERT_EQ(chat.messages_size(), 2);
  EXPECT_EQ(chat.messages(0).role(), "system");
  EXPECT_EQ(chat.messages(0).content(), "Be brief.");
  EXPECT_EQ(chat.messages(1).role(), "user");
  EXPECT_EQ(chat.messages(1).content(), "Why?");
}

TEST_F(GenerateCommandTest, FlagsThatAreNotGivenLeaveTheServersDefaults) {
  const auto request = Sent({"x"});
  EXPECT_FALSE(request.sampling().has_temperature());
  EXPECT_FALSE(request.sampling().has_seed());
  EXPECT_FALSE(request.stopping().has_max_tokens());
  EXPECT_FALSE(request.stopping().has_ignore_eos());
  EXPECT_FALSE(request.output().has_logprobs());
  EXPECT_EQ(request.priority(), quire::v1::PRIORITY_UNSPECIFIED);
  EXPECT_FALSE(request.has_kv_budget_tokens());
}

TEST_F(GenerateCommandTest, FlagsForItsPlaceSetTheirFields) {
  const auto request = Sent({"x", "--priority=low", "--kv_budget_tokens=300"});
  EXPECT_EQ(request.priority(), quire::v1::PRIORITY_LOW);
  EXPECT_EQ(request.kv_budget_tokens(), 300u);
}

TEST_F(GenerateCommandTest, SamplingFlagsSetTheirFields) {
  const auto sampling =
      Sent({"x", "--temperature=0", "--top_k=5", "--top_p=0.5", "--min_p=0.25",
            "--repetition_penalty=1.5", "--presence_penalty=-1",
            "--frequency_penalty=2", "--seed=18446744073709551615",
            "--logit_bias=3:-1.5,7:100", "--bad_words=a,b", "--bad_words=c"})
          .sampling();
  EXPECT_TRUE(sampling.has_temperature());
  EXPECT_EQ(sampling.temperature(), 0);
  EXPECT_EQ(sampling.top_k(), 5);
  EXPECT_EQ(sampling.top_p(), 0.5f);
  EXPECT_EQ(sampling.min_p(), 0.25f);
  EXPECT_EQ(sampling.repetition_penalty(), 1.5f);
  EXPECT_EQ(sampling.presence_penalty(), -1);
  EXPECT_EQ(sampling.frequency_penalty(), 2);
  EXPECT_EQ(sampling.seed(), 18446744073709551615u);
  EXPECT_THAT(sampling.logit_bias(),
              UnorderedElementsAre(Pair(3, -1.5f), Pair(7, 100)));
  EXPECT_THAT(sampling.bad_words(), ElementsAre("a,b", "c"));
}

TEST_F(GenerateCommandTest, StoppingFlagsSetTheirFields) {
  const auto stopping =
      Sent({"x", "--max_tokens=9", "--min_tokens=2", "--stop=, ", "--stop=\n",
            "--stop_token_ids=0,2", "--ignore_eos"})
          .stopping();
  EXPECT_EQ(stopping.max_tokens(), 9);
  EXPECT_EQ(stopping.min_tokens(), 2);
  EXPECT_THAT(stopping.stop(), ElementsAre(", ", "\n"));
  EXPECT_THAT(stopping.stop_token_ids(), ElementsAre(0, 2));
  EXPECT_TRUE(stopping.ignore_eos());
}

TEST_F(GenerateCommandTest, RepeatedFlagsOfOneRunDoNotReachTheNext) {
  Sent({"x", "--stop=a"});
  EXPECT_THAT(Sent({"x"}).stopping().stop(), IsEmpty());
}

TEST_F(GenerateCommandTest, OutputFlagsSetTheirFields) {
  const auto output = Sent({"x", "--json", "--logprobs=0",
                            "--prompt_logprobs=3", "--include_stop"})
                          .output();
  EXPECT_TRUE(output.has_logprobs());
  EXPECT_EQ(output.logprobs(), 0);
  EXPECT_EQ(output.prompt_logprobs(), 3);
  EXPECT_TRUE(output.include_stop());
}

TEST_F(GenerateCommandTest, WritesAnEventALineInJson) {
  server_.AddText("Hi");
  server_.AddEnd(quire::v1::FINISH_REASON_STOP, "2");
  const std::vector<nlohmann::json> events = Events({"--token_ids=5,6,7"});
  ASSERT_EQ(events.size(), 2);
  EXPECT_EQ(events[0], nlohmann::json::parse(
                           R"({"sequence": 0, "token_ids": [72, 105],
                               "text": "Hi"})"));
  EXPECT_EQ(events[1], nlohmann::json::parse(R"(
      {"sequence": 0, "token_ids": [], "text": "", "finish_reason": "stop",
       "stop_reason": "2", "usage": {"prompt_tokens": 3,
       "cached_prompt_tokens": 0, "generated_tokens": 2}})"));
}

TEST_F(GenerateCommandTest, WritesLogProbabilitiesInJson) {
  server_.AddText("A");
  auto& entry = *server_.events.back().add_logprobs();
  entry.set_token_id(65);
  entry.set_logprob(-0.1f);
  auto& best = *entry.add_top();
  best.set_token_id(66);
  best.set_logprob(-0.05f);
  EXPECT_EQ(Events({"x", "--logprobs=1"})[0]["logprobs"],
            nlohmann::json::parse(R"([{"token_id": 65, "logprob": -0.1,
                "top": [{"token_id": 66, "logprob": -0.05}]}])"));
}

TEST_F(GenerateCommandTest, RefusesLogProbabilitiesWithoutJson) {
  const Outcome outcome = Run({"generate", "x", "--logprobs=1"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--json"));
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(GenerateCommandTest, RefusesALackingOrDoublePrompt) {
  EXPECT_EQ(Run({"generate"}).exit_code, 2);
  EXPECT_EQ(Run({"generate", "a", "b"}).exit_code, 2);
  EXPECT_EQ(Run({"generate", "a", "--token_ids=1"}).exit_code, 2);
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(GenerateCommandTest, RefusesChatFlagsThatWouldDoNothing) {
  EXPECT_THAT(Run({"generate", "a", "--system=b"}).err,
              HasSubstr("add --chat"));
  EXPECT_THAT(Run({"generate", "--token_ids=1", "--chat"}).err,
              HasSubstr("not of --token_ids"));
  EXPECT_THAT(server_.requests(), IsEmpty());
}

// The server would go on for ever: the call ends because the client ends it.
TEST_F(GenerateCommandTest, StopsWhereTextCannotBeWritten) {
  server_.AddText("Hello");
  server_.hang = true;
  for (const std::string flag : {"--json", "--nojson"}) {
    const Outcome outcome = RunOnFullDisk({"generate", "x", flag});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.err, kOutputIsLost);
  }
}

TEST_F(GenerateCommandTest, RefusesAServerThatIsNoAddress) {
  const Outcome outcome = Run({"generate", "x", "--server="});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "quire: --server cannot be \"\", must be HOST:PORT, [HOST]:PORT or "
            "unix:PATH of at most 107 bytes; see quire generate --help\n");
}

TEST_F(GenerateCommandTest, RefusesAPromptThatIsNotUtf8) {
  EXPECT_THAT(Run({"generate", "-"}, "a\xff").err,
              HasSubstr("the text is not UTF-8 at byte 1"));
}

TEST_F(GenerateCommandTest, SaysWhatTheServerRefused) {
  server_.generate_status = {grpc::StatusCode::INVALID_ARGUMENT,
                             "top_p is 3, at most 1"};
  const Outcome outcome = Run({"generate", "x", "--top_p=3"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, "quire: " + server_.address() +
                             " answers INVALID_ARGUMENT: top_p is 3, at most "
                             "1\n");
}

TEST_F(GenerateCommandTest, KeepsTheTextBeforeAnError) {
  server_.AddText("Half an ans");
  server_.generate_status = {grpc::StatusCode::UNAVAILABLE, "going down"};
  const Outcome outcome = Run({"generate", "x"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "Half an ans\n");
}

TEST_F(GenerateCommandTest, PassesOnWhenToTryAgain) {
  server_.generate_status = {grpc::StatusCode::RESOURCE_EXHAUSTED,
                             "the queue is full"};
  server_.retry_after_ms = "250";
  EXPECT_THAT(Run({"generate", "x"}).err,
              HasSubstr("the queue is full; try again in 250 ms"));
}

TEST_F(GenerateCommandTest, DeadlineEndsTheCall) {
  server_.hang = true;
  const Outcome outcome = Run({"generate", "x", "--deadline=20ms"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("DEADLINE_EXCEEDED"));
}

}  // namespace
}  // namespace quire
