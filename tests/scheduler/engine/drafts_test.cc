// Tokens that are guessed and computed with the one before: a request gets the
// same, in fewer steps.

#include <cstdint>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scheduler/policy/drafting.h"
#include "tests/scheduler/engine/scheduler_fixture.h"
#include "tests/testing/puppets/puppet_model.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class DraftsTest : public SchedulerFixture {
 protected:
  DraftsTest() {
    shape_.cheap_rows = 16;
    shape_.num_blocks = 64;
    options_.draft_tokens = 3;
  }

  // A prompt after whose first token so many guesses are right, and no more.
  static std::vector<Token> PromptWith(size_t num_right) {
    for (uint64_t seed = 0;; ++seed) {
      std::vector<Token> text = MakePrompt(seed, 40);
      const std::vector<Token> prompt = text;
      const std::vector<Token> alone = GenerateAlone(prompt, 8);
      text.push_back(alone[0]);
      std::vector<Token> drafts;
      GuessFromText(text, 0, 3, drafts);
      if (drafts.size() < 3) continue;
      size_t n = 0;
      while (n < 3 && drafts[n] == alone[n + 1]) ++n;
      if (n == num_right) return prompt;
    }
  }
  double drafts() const { return metrics_->draft_tokens->Value(); }
  double right_drafts() const { return metrics_->right_draft_tokens->Value(); }
};

TEST_F(DraftsTest, RightOnesAreGainedAtOnce) {
  Start();
  Client& client = Submit({.prompt = PromptWith(1), .max_tokens = 8});
  EXPECT_THAT(Runs().num_drafts(), IsEmpty());
  CommitStep();
  const worker::v1::Runs runs = Runs();
  EXPECT_THAT(runs.num_rows(), ElementsAre(4));
  EXPECT_THAT(runs.num_drafts(), ElementsAre(3));
  EXPECT_EQ(runs.draft_tokens_size(), 3);
  CommitStep();
  EXPECT_EQ(right_drafts(), 1);
  EXPECT_EQ(Runs().position(0), runs.position(0) + 2);
  CommitStep();
  RunToEnd();
  ExpectServed(client);
  ExpectIdle();
}

TEST_F(DraftsTest, WrongOnesChangeNothing) {
  Start();
  Client& client = Submit({.prompt = PromptWith(0), .max_tokens = 8});
  Runs();
  CommitStep();
  const worker::v1::Runs runs = Runs();
  EXPECT_THAT(runs.num_drafts(), ElementsAre(3));
  CommitStep();
  EXPECT_EQ(right_drafts(), 0);
  EXPECT_EQ(Runs().position(0), runs.position(0) + 1);
  CommitStep();
  RunToEnd();
  ExpectServed(client);
  ExpectIdle();
}

TEST_F(DraftsTest, AStopAmongThemEndsTheSequence) {
  Start();
  const std::vector<Token> prompt = PromptWith(2);
  Client& client = Submit({.prompt = prompt,
                           .max_tokens = 8,
                           .stops = {GenerateAlone(prompt, 2)[1]}});
  Runs();
  CommitStep();
  Runs();
  CommitStep();
  ExpectServed(client);
  EXPECT_GT(discarded(), 0);
  ExpectIdle();
}

TEST_F(DraftsTest, NoneGoBeyondTheLastToken) {
  Start();
  Client& client = Submit({.prompt = PromptWith(1), .max_tokens = 3});
  Runs();
  CommitStep();
  EXPECT_THAT(Runs().num_drafts(), ElementsAre(1));
  CommitStep();
  EXPECT_FALSE(PlanStep().has_value());
  ExpectServed(client);
  ExpectIdle();
}

TEST_F(DraftsTest, TheyFollowATokenInFlightAndThenThePlanWaits) {
  options_.pipeline_depth = 2;
  Start();
  Client& client = Submit({.prompt = PromptWith(1), .max_tokens = 8});
  Runs();
  const worker::v1::Runs ahead = Runs();
  EXPECT_EQ(ahead.num_rows(0) > 1, ahead.num_drafts_size() > 0);
  if (ahead.num_drafts_size() == 0) CommitStep();
  EXPECT_EQ(PlanStep().has_value(), ahead.num_drafts_size() == 0);
  RunToEnd();
  ExpectServed(client);
  ExpectIdle();
}

TEST_F(DraftsTest, SequencesShareTheRoom) {
  shape_.cheap_rows = 6;
  Start();
  Client& first = Submit({.prompt = PromptWith(0), .max_tokens = 8});
  Client& second = Submit({.prompt = PromptWith(1), .max_tokens = 8});
  while (Runs().position_size() < 2) CommitStep();
  CommitStep();
  const worker::v1::Runs runs = Runs();
  for (const uint32_t num_drafts : runs.num_drafts()) EXPECT_LE(num_drafts, 2);
  CommitStep();
  RunToEnd();
  EXPECT_GT(drafts(), 0);
  ExpectServed(first);
  ExpectServed(second);
  ExpectIdle();
}

TEST_F(DraftsTest, ThereAreNoneWhereRowsAreDearOrTheyAreSwitchedOff) {
  for (const auto& [cheap_rows, draft_tokens] :
       {std::pair(1u, 3u), {16u, 0u}}) {
    shape_.cheap_rows = cheap_rows;
    options_.draft_tokens = draft_tokens;
    Start();
    Client& client = Submit({.prompt = PromptWith(1), .max_tokens = 8});
    RunToEnd();
    EXPECT_EQ(drafts(), 0);
    ExpectServed(client);
    ExpectIdle();
  }
}

TEST_F(DraftsTest, ThereAreNoneForBeamsAndWhereSamplingLooksBack) {
  Start();
  Client& beams = Submit(
      {.prompt = PromptWith(1), .max_tokens = 4, .n = 2, .beam_width = 2});
  RunToEnd();
  Client& penalized = Submit(
      {.prompt = PromptWith(1), .max_tokens = 8, .repetition_penalty = 1.1f});
  RunToEnd();
  EXPECT_EQ(drafts(), 0);
  ExpectServed(beams);
  ExpectServed(penalized);
  ExpectIdle();
}

TEST_F(DraftsTest, NobodyIsPreemptedForThem) {
  shape_.num_blocks = 11;  // 40 tokens and three more are all that fits.
  Start();
  Client& client = Submit({.prompt = PromptWith(1), .max_tokens = 5});
  RunToEnd();
  EXPECT_EQ(preemptions(), 0);
  ExpectServed(client);
  ExpectIdle();
}

TEST_F(DraftsTest, ACancelledRequestLeavesNothingOfThem) {
  Start();
  const Client& client = Submit({.prompt = PromptWith(2), .max_tokens = 8});
  Runs();
  CommitStep();
  EXPECT_THAT(Runs().num_drafts(), ElementsAre(3));
  scheduler_->Cancel(client.id, now_);
  CommitStep();
  EXPECT_EQ(discarded(), 3);
  ExpectIdle();
}

// Blocks that right drafts have filled are found by the next prompt.
TEST_F(DraftsTest, WhatTheyWroteCanBeFound) {
  Start();
  const std::vector<Token> prompt = PromptWith(2);
  Client& client = Submit({.prompt = prompt, .max_tokens = 5});
  RunToEnd();
  ExpectServed(client);
  std::vector<Token> next = prompt;
  const std::vector<Token> answer = GenerateAlone(prompt, 5);
  next.insert(next.end(), answer.begin(), answer.end());
  Client& follower = Submit({.prompt = next, .max_tokens = 2});
  RunToEnd();
  EXPECT_EQ(metrics_->prefix_hits->Value(), 44);  // Of 45, in blocks of four.
  ExpectServed(follower);
  ExpectIdle();
}

}  // namespace
}  // namespace quire
