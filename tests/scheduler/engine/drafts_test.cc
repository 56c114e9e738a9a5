// Tokens that are guessed and computed with the one before: a request gets the
// same, in fewer steps.

#include <algorithm>
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
      if (drafts.size() < 3 || alone[0] == alone[1]) continue;
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

TEST_F(DraftsTest, TheyFollowATokenInFlightAndNobodyIsPlannedBehindThem) {
  options_.pipeline_depth = 2;
  Start();
  std::vector<Token> prompt;
  std::vector<Token> drafts;
  for (uint64_t seed = 0; drafts.empty(); ++seed) {
    prompt = MakePrompt(seed, 40);
    GuessFromText(prompt, /*num_in_flight=*/1, /*num_drafts=*/3, drafts);
  }
  Client& client = Submit({.prompt = prompt, .max_tokens = 8});
  Runs();
  const worker::v1::Runs ahead = Runs();
  EXPECT_THAT(ahead.num_drafts(), ElementsAre(3));
  EXPECT_THAT(ahead.draft_tokens(), testing::ElementsAreArray(drafts));
  CommitStep();
  EXPECT_FALSE(PlanStep().has_value());
  CommitStep();
  EXPECT_TRUE(PlanStep().has_value());
  CommitStep();
  RunToEnd();
  ExpectServed(client);
  ExpectIdle();
}

TEST_F(DraftsTest, SequencesShareTheRoom) {
  shape_.cheap_rows = 6;
  shape_.max_step_rows = 128;
  Start();
  Client& first = Submit({.prompt = PromptWith(0), .max_tokens = 8});
  Client& second = Submit({.prompt = PromptWith(1), .max_tokens = 8});
  EXPECT_THAT(Runs().num_rows(), ElementsAre(40, 40));
  CommitStep();
  EXPECT_THAT(Runs().num_drafts(), ElementsAre(2, 2));
  CommitStep();
  RunToEnd();
  ExpectServed(first);
  ExpectServed(second);
  ExpectIdle();
}

TEST_F(DraftsTest, RowsForThoseWhoWaitComeFirst) {
  options_.max_step_tokens = 4;
  Start();
  Client& first = Submit({.prompt = PromptWith(0), .max_tokens = 20});
  for (int i = 0; i < 10; ++i) {
    Runs();
    CommitStep();
  }
  EXPECT_THAT(Runs().num_drafts(), ElementsAre(3));
  CommitStep();
  Client& second = Submit({.prompt = {1, 2, 3}, .max_tokens = 1});
  EXPECT_THAT(Runs().num_rows(), ElementsAre(1, 3));
  CommitStep();
  ExpectServed(second);
  RunToEnd();
  ExpectServed(first);
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

// Slots 40 to 43 are in one block, those behind them in the last one.
TEST_F(DraftsTest, TheyDoNotTakeTheLastBlocks) {
  for (const uint32_t num_blocks : {12, 13}) {
    shape_.num_blocks = num_blocks;
    Start();
    Client& client = Submit({.prompt = PromptWith(0), .max_tokens = 8});
    Runs();
    CommitStep();
    uint32_t end = 0;
    for (uint32_t position = 40; position < 44;) {
      const worker::v1::Runs runs = Runs();
      position = runs.position(0) + 1;
      end = std::max(end, runs.position(0) + runs.num_rows(0));
      CommitStep();
    }
    EXPECT_EQ(end > 44, num_blocks > 12);
    RunToEnd();
    ExpectServed(client);
    ExpectIdle();
  }
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
