#include "scheduler/frontend/generate_responses.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/scheduler/frontend/text_proto.h"

namespace quire {
namespace {

using ::quire::testing::ToText;

std::vector<std::string> Texts(Mailbox::Contents contents) {
  std::vector<std::string> texts;
  for (const v1::GenerateResponse& response : ToResponses(std::move(contents)))
    texts.push_back(ToText(response));
  return texts;
}

using Lines = std::vector<std::string>;

constexpr RequestUsage kUsage = {
    .prompt_tokens = 5, .cached_prompt_tokens = 4, .generated_tokens = 3};
constexpr char kUsageText[] =
    "usage { prompt_tokens: 5 cached_prompt_tokens: 4 generated_tokens: 3 }";

TEST(GenerateResponsesTest, ADeltaIsAMessage) {
  EXPECT_EQ(
      Texts({.deltas = {{.sequence = 2, .text = "Hi", .tokens = {7, 8}}}}),
      Lines({"sequence: 2 text: \"Hi\" token_ids: 7 token_ids: 8"}));
  EXPECT_EQ(Texts({}), Lines());
}

TEST(GenerateResponsesTest, ScoresComeWithTheirAlternatives) {
  const TokenScores scores = {.chosen = {7, -0.5},
                              .top = {{9, -0.25}, {7, -0.5}}};
  EXPECT_EQ(Texts({.deltas = {{.tokens = {7},
                               .logprobs = {scores},
                               .prompt_logprobs = {{.chosen = {3, -2}}}}}}),
            Lines({"token_ids: 7 "
                   "logprobs { token_id: 7 logprob: -0.5 "
                   "top { token_id: 9 logprob: -0.25 } top { token_id: 7 "
                   "logprob: -0.5 } } "
                   "prompt_logprobs { token_id: 3 logprob: -2 }"}));
}

TEST(GenerateResponsesTest, TheLastMessageCarriesTheEndAndUsage) {
  EXPECT_EQ(Texts({.deltas = {{.text = "x",
                               .finish_reason = FinishReason::kStop,
                               .stop_reason = "END"}},
                   .closed = true,
                   .usage = kUsage}),
            Lines({std::string("text: \"x\" finish_reason: FINISH_REASON_STOP "
                               "stop_reason: \"END\" ") +
                   kUsageText}));
  EXPECT_EQ(Texts({.deltas = {{.finish_reason = FinishReason::kLength}}}),
            Lines({"finish_reason: FINISH_REASON_LENGTH"}));
}

TEST(GenerateResponsesTest, UsageComesAloneWhereNothingElseIsLeft) {
  EXPECT_EQ(Texts({.closed = true, .usage = kUsage}), Lines({kUsageText}));
}

TEST(GenerateResponsesTest, UsageIsInTheLastOfSeveralSequences) {
  EXPECT_EQ(Texts({.deltas = {{.sequence = 0, .text = "a"},
                              {.sequence = 1, .text = "b"}},
                   .closed = true,
                   .usage = kUsage}),
            Lines({"text: \"a\"",
                   std::string("sequence: 1 text: \"b\" ") + kUsageText}));
}

TEST(GenerateResponsesTest, AFailureHasNoMessageOfItsOwn) {
  const absl::Status failure = absl::UnavailableError("gone");
  EXPECT_EQ(Texts({.closed = true, .status = failure, .usage = kUsage}),
            Lines());
  EXPECT_EQ(Texts({.deltas = {{.text = "a"}},
                   .closed = true,
                   .status = failure,
                   .usage = kUsage}),
            Lines({"text: \"a\""}));
}

// A delta with numbered tokens and scores.
SequenceDelta LongDelta(size_t num_tokens, size_t num_prompt_logprobs) {
  SequenceDelta delta = {.text = "all", .finish_reason = FinishReason::kLength};
  for (size_t i = 0; i < num_tokens; ++i) {
    delta.tokens.push_back(static_cast<Token>(i));
    delta.logprobs.push_back({.chosen = {static_cast<Token>(i), -1}});
  }
  for (size_t i = 0; i < num_prompt_logprobs; ++i)
    delta.prompt_logprobs.push_back({.chosen = {static_cast<Token>(i), -1}});
  return delta;
}

TEST(GenerateResponsesTest, LongDeltasAreCutIntoMessagesThatAddUp) {
  const size_t sizes[][2] = {{0, 0},    {1, 0},    {1024, 0},   {1025, 0},
                             {0, 1024}, {1, 1025}, {3000, 3000}};
  for (const auto& [num_tokens, num_prompt_logprobs] : sizes) {
    v1::GenerateResponse sum;
    bool seen_tokens = false;
    for (const auto& part : ToResponses(
             {.deltas = {LongDelta(num_tokens, num_prompt_logprobs)}})) {
      EXPECT_LE(part.token_ids_size(), 1024);
      EXPECT_LE(part.prompt_logprobs_size(), 1024);
      EXPECT_EQ(part.token_ids_size(), part.logprobs_size());
      EXPECT_FALSE(seen_tokens && part.prompt_logprobs_size() > 0);
      EXPECT_EQ(sum.finish_reason(), v1::FINISH_REASON_UNSPECIFIED);
      seen_tokens = part.token_ids_size() > 0;
      sum.MergeFrom(part);
    }
    const auto whole = LongDelta(num_tokens, num_prompt_logprobs);
    EXPECT_TRUE(std::equal(sum.token_ids().begin(), sum.token_ids().end(),
                           whole.tokens.begin(), whole.tokens.end()));
    ASSERT_EQ(static_cast<size_t>(sum.prompt_logprobs_size()),
              num_prompt_logprobs);
    for (int i = 0; i < sum.prompt_logprobs_size(); ++i)
      EXPECT_EQ(sum.prompt_logprobs(i).token_id(), i);
    EXPECT_EQ(sum.text(), "all");
    EXPECT_EQ(sum.finish_reason(), v1::FINISH_REASON_LENGTH);
  }
}

}  // namespace
}  // namespace quire
