#include "scheduler/engine/result_reader.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

// Token 10 with one alternative, token 20 with two; two prompt tokens with one
// alternative each.
worker::v1::StepResult MakeResult() {
  worker::v1::StepResult result;
  auto& sampled = *result.mutable_sampled();
  for (int i : {1, 2}) {
    sampled.add_token(10 * i);
    sampled.add_logprob(-i);
    sampled.add_num_top(i);
  }
  for (int token : {11, 21, 22}) {
    sampled.add_top_token(token);
    sampled.add_top_logprob(-token);
  }
  auto& scores = *result.mutable_prompt_logprobs();
  for (int i : {5, 6}) {
    scores.add_logprob(-i);
    scores.add_num_top(1);
    scores.add_top_token(i);
    scores.add_top_logprob(-i);
  }
  return result;
}

TEST(ResultReaderTest, ReadsSampledTokensWithTheirAlternatives) {
  const worker::v1::StepResult result = MakeResult();
  ResultReader reader(result);
  const TokenScores first = reader.NextSampled();
  EXPECT_EQ(first.chosen.token, 10);
  EXPECT_EQ(first.chosen.logprob, -1);
  ASSERT_EQ(first.top.size(), 1u);
  EXPECT_EQ(first.top[0].token, 11);
  const TokenScores second = reader.NextSampled();
  EXPECT_EQ(second.chosen.token, 20);
  ASSERT_EQ(second.top.size(), 2u);
  EXPECT_EQ(second.top[0].token, 21);
  EXPECT_EQ(second.top[1].logprob, -22);
}

TEST(ResultReaderTest, ReadsPromptScoresIndependently) {
  const worker::v1::StepResult result = MakeResult();
  ResultReader reader(result);
  reader.NextSampled();
  EXPECT_EQ(reader.NextPromptScores().chosen.logprob, -5);
  const TokenScores second = reader.NextPromptScores();
  EXPECT_EQ(second.chosen.logprob, -6);
  ASSERT_EQ(second.top.size(), 1u);
  EXPECT_EQ(second.top[0].token, 6);
}

TEST(ResultReaderTest, CountsTheTokensOfARunWithDrafts) {
  worker::v1::StepResult result = MakeResult();
  result.mutable_sampled()->add_sequence(3);
  result.mutable_sampled()->add_sequence(3);
  const ResultReader reader(result);
  quire::Run run = {.sequence = SequenceId(3), .num_rows = 5, .samples = true};
  EXPECT_EQ(reader.NumSampled(run), 1u);
  run.num_drafts = 4;
  EXPECT_EQ(reader.NumSampled(run), 2u);
  run.samples = false;
  EXPECT_EQ(reader.NumSampled(run), 0u);
}

}  // namespace
}  // namespace quire
