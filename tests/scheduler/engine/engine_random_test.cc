// Random histories of requests and failures. Whatever happens, a request that
// is served gets what it would have got alone, each token once; one that is not
// got the beginning of it; and in the end every block is free.

#include <algorithm>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/engine/engine_fixture.h"
#include "tests/testing/puppets/puppet_model.h"

namespace quire {
namespace {

class EngineRandomTest : public EngineFixture,
                         public testing::WithParamInterface<int> {
 protected:
  // What a client asked, beside what the fixture keeps.
  struct Expectation {
    std::vector<Token> prompt;
    bool logprobs = false;
    bool prompt_logprobs = false;
    bool cancelled = false;
    bool has_deadline = false;
  };

  uint32_t Draw(uint32_t low, uint32_t high) {
    return std::uniform_int_distribution<uint32_t>(low, high)(random_);
  }
  bool OneIn(uint32_t n) { return Draw(1, n) == 1; }

  void DrawSetup() {
    options_.pipeline_depth = Draw(1, 2);
    options_.max_step_tokens = Draw(1, 20);
    options_.max_running_sequences = Draw(1, 8);
    options_.max_waiting_requests = Draw(4, 30);
    options_.max_waiting_tokens = Draw(30, 300);
    options_.shuffle_free_blocks_seed = Draw(0, 5);
    options_.priority_head_start = absl::Seconds(Draw(0, 20));
    options_.admission = static_cast<AdmissionMode>(Draw(0, 2));
    options_.preemption = static_cast<PreemptionMode>(Draw(0, 2));
    options_.prefix_cache = !OneIn(4);
    options_.draft_tokens = Draw(0, 9);
    StartEngine();
    DrawGroup();
  }

  void DrawGroup() {
    shape_.num_ranks = Draw(1, 3);
    shape_.block_size = Draw(1, 5);
    shape_.num_blocks = Draw(20, 60) / shape_.block_size;
    shape_.num_host_blocks = OneIn(4) ? 0 : Draw(1, 60);
    shape_.max_step_rows = Draw(1, 20);
    shape_.cheap_rows = OneIn(3) ? 0 : Draw(2, 20);
    if (group_) Retire();
    AttachGroup();
  }

  // A group of the past answers late, and is judged.
  void Retire() {
    if (OneIn(2)) group_->AnswerStep();
    EXPECT_THAT(group_->violations(), testing::IsEmpty());
  }

  void SubmitOne() {
    Ask ask;
    ask.prompt = MakePrompt(random_(), Draw(1, 16));
    if (OneIn(2)) {  // One of a few beginnings that many have in common.
      const std::vector<Token> common = MakePrompt(Draw(0, 2), Draw(1, 12));
      ask.prompt.insert(ask.prompt.begin(), common.begin(), common.end());
    }
    if (OneIn(4)) ask.cache_salt = OneIn(2) ? "a" : "b";
    ask.cache_bypass = OneIn(8);
    ask.max_tokens = Draw(1, 14);
    if (OneIn(3)) ask.stops = {3, 14, 15, 9, 26, 5, 35, 8};
    if (OneIn(3)) ask.min_tokens = Draw(0, ask.max_tokens);
    if (OneIn(3)) ask.n = Draw(2, 4);
    if (OneIn(4)) {
      ask.beam_width = ask.n + Draw(0, 2);
      ask.length_penalty = Draw(0, 4) / 2.0;
      ask.early_stopping = static_cast<EarlyStopping>(Draw(0, 2));
    }
    ask.logprobs = OneIn(2);
    ask.prompt_logprobs = OneIn(2);
    ask.priority = static_cast<Priority>(Draw(0, 2));
    if (OneIn(5)) ask.deadline = clock_.Now() + absl::Seconds(Draw(0, 60));
    expectations_.push_back(
        {.prompt = ask.prompt,
         .logprobs = ask.logprobs,
         .prompt_logprobs = ask.prompt_logprobs,
         .has_deadline = ask.deadline != absl::InfiniteFuture()});
    Submit(std::move(ask));
  }

  void CancelOne() {
    if (clients_.empty()) return;
    const uint32_t index = Draw(0, clients_.size() - 1);
    expectations_[index].cancelled = true;
    engine_->Cancel(clients_[index].id);
  }

  void BreakSomething() {
    const Rank rank(Draw(0, shape_.num_ranks - 1));
    group_->CorruptNext(rank, [&](worker::v1::StepResult& result) {
      if (OneIn(2)) {
        result.set_status_code(13);
      } else {
        result.set_step_id(result.step_id() + 1);
      }
    });
  }

  void MoveOnce() {
    switch (Draw(0, 39)) {
      case 0:
      case 1:
      case 2:
        return SubmitOne();
      case 3:
        return OneIn(2) ? CancelOne() : void();
      case 4:
        return clock_.Advance(absl::Seconds(1));
      case 5:
        return OneIn(10) ? LoseGroup() : void();
      case 6:
        return OneIn(10) ? BreakSomething() : void();
      case 7:
      case 8:
        return IsReady() ? void() : DrawGroup();
    }
    if (OneIn(2)) {
      engine_->RunOnce();
    } else {
      group_->Answer(Rank(Draw(0, shape_.num_ranks - 1)));
    }
  }

  bool IsReady() {
    const EngineSnapshot snapshot = engine_->Snapshot(/*with_blocks=*/false);
    // However sequences share them, no slot is counted twice.
    EXPECT_LE(snapshot.blocks.used_slots,
              uint64_t{snapshot.blocks.active} * snapshot.blocks.block_size);
    return snapshot.epoch != Epoch();
  }

  // The puppets break no more, and everything comes to its end.
  void Finish() {
    constexpr int kMoreThanEnough = 10'000;
    for (int i = 0; i < kMoreThanEnough; ++i) {
      Settle();
      if (!IsReady()) DrawGroup();
      if (!group_->AnswerStep()) return;
    }
    FAIL() << "requests are open for ever";
  }

  void Judge(Client& client, const Expectation& expected) {
    client.Collect();
    ASSERT_EQ(client.num_closings, 1);
    const absl::StatusCode code = client.status.code();
    if (code == absl::StatusCode::kOk) {
      ExpectServed(client);
      ++num_served_;
    } else if (code == absl::StatusCode::kCancelled) {
      EXPECT_TRUE(expected.cancelled);
    } else if (code == absl::StatusCode::kDeadlineExceeded) {
      EXPECT_TRUE(expected.has_deadline);
    } else {
      EXPECT_THAT(code, testing::AnyOf(absl::StatusCode::kInvalidArgument,
                                       absl::StatusCode::kResourceExhausted));
    }
    for (const auto& [sequence, tokens] : client.tokens_of) {
      const std::vector<Token>& alone = client.alone[sequence];
      ASSERT_LE(tokens.size(), alone.size());
      EXPECT_TRUE(
          std::ranges::equal(tokens, std::span(alone).first(tokens.size())));
    }
    EXPECT_EQ(client.logprobs.size(),
              expected.logprobs ? client.tokens.size() : 0);
    JudgePromptScores(client, expected);
  }

  void JudgePromptScores(const Client& client, const Expectation& expected) {
    std::vector<float> scores;
    for (const TokenScores& s : client.prompt_logprobs) {
      scores.push_back(s.chosen.logprob);
    }
    std::vector<float> wanted;
    if (expected.prompt_logprobs) wanted = ScorePromptAlone(expected.prompt);
    ASSERT_LE(scores.size(), wanted.size());
    if (client.tokens.empty()) wanted.resize(scores.size());
    EXPECT_EQ(scores, wanted);
  }

  std::mt19937_64 random_{static_cast<uint64_t>(GetParam()) + 1};
  std::vector<Expectation> expectations_;
  int num_served_ = 0;
};

TEST_P(EngineRandomTest, EachRequestGetsWhatItWouldGetAlone) {
  DrawSetup();
  for (int i = 0; i < 2000; ++i) MoveOnce();
  Finish();
  for (size_t i = 0; i < clients_.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "request " << i + 1);
    Judge(clients_[i], expectations_[i]);
  }
  ExpectIdle();
  EXPECT_GT(num_served_, 5);
}

INSTANTIATE_TEST_SUITE_P(Seeds, EngineRandomTest, testing::Range(0, 500));

}  // namespace
}  // namespace quire
