// Deadlines that can still be met, and those that cannot.

#include <algorithm>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/engine/engine_metrics.h"
#include "tests/scheduler/engine/scheduler_fixture.h"

namespace quire {
namespace {

// One request runs, of which a row of a prompt was seen to take 0.1 s and a
// step of a token 1 s; others wait. Blocks of 4 slots.
class DeadlinesTest : public SchedulerFixture {
 protected:
  static constexpr absl::Duration kRow = absl::Milliseconds(100);
  static constexpr absl::Duration kStep = absl::Seconds(1);
  static constexpr absl::Duration kJust = absl::Milliseconds(1);

  void SetUp() override {
    options_.max_running_sequences = 1;
    shape_.num_blocks = 64;
    Start();
    timings_.set_execute_ns(1'000'000'000);
    running_ = &Submit({.prompt = MakePrompt(1, 10), .max_tokens = 20});
    Step();
    Step();
  }
  void Step() {
    PlanStep();
    CommitStep();
  }
  // `length` tokens, of which the first `num_common` are always the same.
  std::vector<Token> Prompt(uint32_t length, uint32_t num_common = 0) {
    std::vector<Token> prompt = MakePrompt(clients_.size() + 10, length);
    const std::vector<Token> common = MakePrompt(77, num_common);
    std::copy(common.begin(), common.end(), prompt.begin());
    return prompt;
  }
  Client& SubmitWithin(absl::Duration time, Ask ask) {
    ask.deadline = now_ + time;
    return Submit(std::move(ask));
  }
  // That a prompt of ten tokens and an answer of `num_tokens` take.
  void ExpectLeastTime(absl::Duration least, uint32_t num_tokens) {
    const auto ask = [&]() -> Ask {
      return {.prompt = Prompt(10),
              .max_tokens = num_tokens,
              .least_tokens = num_tokens};
    };
    EXPECT_FALSE(IsOpen(SubmitWithin(least, ask())));
    EXPECT_TRUE(IsOpen(SubmitWithin(least + kJust, ask())));
  }
  bool IsOpen(Client& client) { return client.Collect().num_closings == 0; }
  double NumUnmeetable() {
    return metrics_->Requests(Outcome::kUnmeetable)->Value();
  }

  Client* running_ = nullptr;
};

TEST_F(DeadlinesTest, APromptThatTakesTooLongIsRefusedAtOnce) {
  Client& met = SubmitWithin(10 * kRow + kJust, {.prompt = Prompt(10)});
  EXPECT_TRUE(IsOpen(met));
  scheduler_->Cancel(met.id, now_);
  Client& missed = SubmitWithin(10 * kRow, {.prompt = Prompt(10)});
  EXPECT_FALSE(IsOpen(missed));
  EXPECT_EQ(missed.status,
            absl::DeadlineExceededError(
                "the deadline cannot be met: it is in 1s, the earliest end in "
                "1s"));
  EXPECT_EQ(NumUnmeetable(), 1);
  EXPECT_TRUE(IsOpen(*running_));
}

TEST_F(DeadlinesTest, TokensThatItMustGenerateCount) {
  ExpectLeastTime(10 * kRow + 4 * kStep, 5);
}

class DeadlinesWithDraftsTest : public DeadlinesTest {
 protected:
  void SetUp() override {
    shape_.cheap_rows = 4;
    DeadlinesTest::SetUp();
  }
};

// A step gains up to four tokens: not as many as there may be drafts.
TEST_F(DeadlinesWithDraftsTest, NoMoreTokensAStepAreHopedForThanAreCheap) {
  ExpectLeastTime(10 * kRow + 2 * kStep, 9);
}

TEST_F(DeadlinesTest, PromptsAheadCount) {
  SubmitWithin(absl::Hours(1), {.prompt = Prompt(20)});
  EXPECT_FALSE(IsOpen(SubmitWithin(30 * kRow, {.prompt = Prompt(10)})));
  EXPECT_TRUE(IsOpen(SubmitWithin(
      20 * kRow, {.prompt = Prompt(10), .priority = Priority::kHigh})));
  EXPECT_TRUE(IsOpen(SubmitWithin(40 * kRow + kJust, {.prompt = Prompt(10)})));
}

TEST_F(DeadlinesTest, ACommonPrefixCountsOnce) {
  for (int i = 0; i < 3; ++i) {
    SubmitWithin(absl::Hours(1), {.prompt = Prompt(20, 16)});
  }
  const absl::Duration least = (20 + 3 * 4) * kRow;
  EXPECT_FALSE(IsOpen(SubmitWithin(least, {.prompt = Prompt(20, 16)})));
  EXPECT_TRUE(IsOpen(SubmitWithin(least + kJust, {.prompt = Prompt(20, 16)})));
}

TEST_F(DeadlinesTest, WhatIsFoundCountsNothing) {
  const std::vector<Token> prompt = MakePrompt(1, 10);  // That runs.
  EXPECT_TRUE(IsOpen(SubmitWithin(2 * kRow + kJust, {.prompt = prompt})));
  EXPECT_FALSE(IsOpen(
      SubmitWithin(10 * kRow, {.prompt = prompt, .cache_bypass = true})));
}

TEST_F(DeadlinesTest, OneThatWaitsTooLongIsRefusedBeforeItsDeadline) {
  Client& waiting = SubmitWithin(absl::Seconds(5), {.prompt = Prompt(10)});
  EXPECT_EQ(scheduler_->next_deadline(), now_ + absl::Seconds(4));
  scheduler_->CloseExpired(now_ + absl::Seconds(4) - kJust);
  EXPECT_EQ(scheduler_->num_open(), 2u);
  scheduler_->CloseExpired(now_ + absl::Seconds(4));
  outbox_.Publish();
  EXPECT_FALSE(IsOpen(waiting));
  EXPECT_EQ(NumUnmeetable(), 1);
}

TEST_F(DeadlinesTest, OneThatHasStartedMayGoOnToItsDeadline) {
  const absl::Time deadline = now_ + absl::Seconds(5);
  Client& client = SubmitWithin(absl::Seconds(5), {.prompt = Prompt(10)});
  Submit({.prompt = Prompt(10)});
  EXPECT_LT(scheduler_->next_deadline(), deadline);
  scheduler_->Cancel(running_->id, now_);
  PlanStep();
  scheduler_->CloseExpired(deadline - kJust);
  EXPECT_EQ(scheduler_->next_deadline(), deadline);
  EXPECT_TRUE(IsOpen(client));
  scheduler_->CloseExpired(deadline);
  outbox_.Publish();
  EXPECT_FALSE(IsOpen(client));
  EXPECT_EQ(metrics_->Requests(Outcome::kDeadline)->Value(), 1);
}

// Where rates were wrong nothing else would correct them.
TEST_F(DeadlinesTest, OneThatIsAloneIsLetTry) {
  scheduler_->Cancel(running_->id, now_);
  Client& alone = SubmitWithin(kJust, {.prompt = Prompt(10)});
  EXPECT_TRUE(IsOpen(alone));
  RunToEnd();
  ExpectServed(alone);
}

TEST_F(DeadlinesTest, AfterItsEpochNothingIsKnown) {
  Restart();
  EXPECT_TRUE(IsOpen(SubmitWithin(kJust, {.prompt = Prompt(10)})));
}

}  // namespace
}  // namespace quire
