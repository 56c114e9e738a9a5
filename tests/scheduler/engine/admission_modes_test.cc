// What the modes of admission promise: worst_case preempts nobody, first_chunk
// runs more at once, full_prompt never starts a prompt in vain; and the tokens
// do not depend on it.

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/engine/scheduler_fixture.h"

namespace quire {
namespace {

class AdmissionModesTest : public SchedulerFixture {
 protected:
  AdmissionModesTest() {
    options_.pipeline_depth = 2;
    options_.max_step_tokens = 32;
    shape_.num_blocks = 60;
  }

  // Requests come as others end: `at_once` are open at a time.
  struct Outcome {
    double preemptions = 0;
    size_t most_running = 0;
  };
  Outcome Serve(AdmissionMode mode, int num_requests, int at_once) {
    options_.admission = mode;
    clients_.clear();
    Start();
    std::mt19937_64 random(3);
    Outcome outcome;
    int submitted = 0;
    for (;;) {
      while (submitted < num_requests &&
             scheduler_->num_open() < static_cast<uint32_t>(at_once)) {
        const auto draw = [&](uint32_t most) {
          return static_cast<uint32_t>(1 + random() % most);
        };
        Submit({.prompt = MakePrompt(submitted++, draw(60)),
                .max_tokens = draw(60),
                .n = random() % 4 == 0 ? 2u : 1u});
      }
      while (PlanStep().has_value()) {
      }
      outcome.most_running =
          std::max(outcome.most_running, scheduler_->running().size());
      ExpectNoBlockInVain();
      if (in_flight_.empty()) break;
      CommitStep();
    }
    outcome.preemptions = preemptions();
    for (Client& client : clients_) ExpectServed(client);
    ExpectIdle();
    return outcome;
  }
  // Beyond what is known and the next token, a sequence has less than a block,
  // but where it was given all to its end.
  void ExpectNoBlockInVain() {
    for (const RequestState* request : scheduler_->running()) {
      if (request->admission_mode() == AdmissionMode::kWorstCase) continue;
      for (const auto& sequence : request->sequences()) {
        const uint32_t wanted =
            std::max(sequence->planned(), sequence->known() + 1);
        ASSERT_LT(sequence->table().capacity(), wanted + shape_.block_size);
      }
    }
  }
};

TEST_F(AdmissionModesTest, WorstCasePreemptsNobody) {
  const Outcome outcome = Serve(AdmissionMode::kWorstCase, 1000, 20);
  EXPECT_EQ(outcome.preemptions, 0);
}

TEST_F(AdmissionModesTest, FirstChunkRunsMoreAtOnceAndPreemptsSome) {
  const Outcome careful = Serve(AdmissionMode::kWorstCase, 200, 30);
  const Outcome eager = Serve(AdmissionMode::kFirstChunk, 200, 30);
  EXPECT_GT(eager.most_running, careful.most_running);
  EXPECT_GT(eager.preemptions, 0);
}

TEST_F(AdmissionModesTest, FullPromptServesAllWithLessThanABlockInVain) {
  Serve(AdmissionMode::kFullPrompt, 1000, 30);
}

TEST_F(AdmissionModesTest, FullPromptWastesNoPrefill) {
  // Five prompts of 50 tokens and their first token take 13 blocks each; there
  // are blocks for 4.2 of them.
  shape_.num_blocks = 55;
  for (const AdmissionMode mode :
       {AdmissionMode::kFullPrompt, AdmissionMode::kFirstChunk}) {
    options_.admission = mode;
    clients_.clear();
    Start();
    for (int i = 0; i < 5; ++i) {
      Submit({.prompt = MakePrompt(i, 50), .max_tokens = 2});
    }
    RunToEnd();
    for (Client& client : clients_) ExpectServed(client);
    if (mode != AdmissionMode::kFullPrompt) continue;
    EXPECT_EQ(metrics_->prompt_tokens->Value(), 5 * 50);
    EXPECT_EQ(metrics_->recomputed_tokens->Value(), 0);
    EXPECT_EQ(preemptions(), 0);
  }
}

}  // namespace
}  // namespace quire
