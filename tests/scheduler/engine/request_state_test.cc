#include "scheduler/engine/request_state.h"

#include <memory>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scheduler/engine/outbox.h"
#include "tests/scheduler/engine/letter_filter.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr absl::Time kNow = absl::UnixEpoch();

GenerationRequest Request(uint32_t prompt_length, uint32_t max_tokens) {
  GenerationRequest request;
  request.id = RequestId(1);
  request.prompt.assign(prompt_length, 7);
  request.max_tokens = max_tokens;
  return request;
}

// A request and what its client gets of it.
struct ServedState {
  explicit ServedState(GenerationRequest request)
      : state(
            std::move(request), {.arrival = 1}, [] { return SequenceId(1); },
            kNow) {}

  ClientOutput output() { return ClientOutput(&outbox, &mailbox); }
  Mailbox::Contents Receive() {
    outbox.Publish();
    return mailbox.TakeAll();
  }
  bool HasDelta() { return !Receive().empty(); }
  // REQUIRES: there is one.
  SequenceDelta TakeDelta() { return std::move(Receive().deltas.at(0)); }

  FinishReason Append(uint32_t index, Token token, float logprob) {
    return state
        .Continue(*state.sequences()[index], {.chosen = {token, logprob}}, kNow,
                  output())
        .reason;
  }
  FinishReason Append(Token token) { return Append(0, token, -1); }
  void AddPromptScores(uint32_t position) {
    state.AddPromptScores(position, {}, output());
  }

  RequestState state;
  Outbox outbox;
  Mailbox mailbox{[] {}};
};

TEST(RequestStateTest, EndsAtMaxTokens) {
  ServedState served(Request(2, /*max_tokens=*/2));
  EXPECT_EQ(served.Append(1), FinishReason::kNone);
  EXPECT_EQ(served.Append(2), FinishReason::kLength);
  const SequenceDelta delta = served.TakeDelta();
  EXPECT_THAT(delta.tokens, ElementsAre(1, 2));
  EXPECT_EQ(delta.finish_reason, FinishReason::kLength);
  EXPECT_EQ(delta.stop_reason, "");
}

TEST(RequestStateTest, EndsAtAStopTokenAndNamesIt) {
  GenerationRequest request = Request(2, 9);
  request.stop_tokens = {5, 6};
  ServedState served(std::move(request));
  EXPECT_EQ(served.Append(4), FinishReason::kNone);
  EXPECT_EQ(served.Append(6), FinishReason::kStop);
  const SequenceDelta delta = served.TakeDelta();
  EXPECT_THAT(delta.tokens, ElementsAre(4, 6));
  EXPECT_EQ(delta.stop_reason, "6");
}

TEST(RequestStateTest, AStopTokenCountsOnlyAfterMinTokens) {
  GenerationRequest request = Request(2, 9);
  request.stop_tokens = {5};
  request.sampling.set_min_tokens(2);
  ServedState served(std::move(request));
  EXPECT_EQ(served.Append(5), FinishReason::kNone);
  EXPECT_EQ(served.Append(5), FinishReason::kNone);
  EXPECT_EQ(served.Append(5), FinishReason::kStop);
}

TEST(RequestStateTest, AStopTokenAtMaxTokensIsAStop) {
  GenerationRequest request = Request(2, 1);
  request.stop_tokens = {5};
  ServedState served(std::move(request));
  EXPECT_EQ(served.Append(5), FinishReason::kStop);
}

TEST(RequestStateTest, TheFilterEndsASequenceAtAStopString) {
  GenerationRequest request = Request(2, 9);
  request.filters.push_back(std::make_unique<LetterFilter>("BC"));
  ServedState served(std::move(request));
  EXPECT_EQ(served.Append(0), FinishReason::kNone);
  EXPECT_EQ(served.Append(1), FinishReason::kNone);
  EXPECT_EQ(served.Append(2), FinishReason::kStop);
  const SequenceDelta delta = served.TakeDelta();
  EXPECT_EQ(delta.stop_reason, "BC");
  EXPECT_EQ(delta.text, "AB");  // What the filter held back stays back.
}

TEST(RequestStateTest, TextHeldBackComesAtTheEnd) {
  GenerationRequest request = Request(2, 2);
  request.filters.push_back(std::make_unique<LetterFilter>());
  ServedState served(std::move(request));
  served.Append(0);
  EXPECT_EQ(served.TakeDelta().text, "");
  served.Append(1);
  EXPECT_EQ(served.TakeDelta().text, "AB");
}

TEST(RequestStateTest, LogprobsAreKeptWhereAskedFor) {
  ServedState silent(Request(2, 9));
  silent.Append(3);
  EXPECT_THAT(silent.TakeDelta().logprobs, IsEmpty());

  GenerationRequest request = Request(2, 9);
  request.reports_logprobs = true;
  ServedState served(std::move(request));
  served.Append(3);
  const SequenceDelta delta = served.TakeDelta();
  ASSERT_THAT(delta.logprobs, SizeIs(1));
  EXPECT_EQ(delta.logprobs[0].chosen.token, 3);
}

TEST(RequestStateTest, ADeltaIsTakenOnce) {
  ServedState served(Request(2, 9));
  EXPECT_FALSE(served.HasDelta());
  served.Append(3);
  EXPECT_TRUE(served.HasDelta());
  EXPECT_FALSE(served.HasDelta());
}

class PromptScoresTest : public testing::Test {
 protected:
  PromptScoresTest() : served_(ScoringRequest()) {}

  static GenerationRequest ScoringRequest() {
    GenerationRequest request = Request(/*prompt_length=*/6, 9);
    request.reports_prompt_logprobs = true;
    return request;
  }
  uint32_t ScoresOf(uint32_t position, uint32_t num_rows) {
    return served_.state.PromptScoresOf(
        served_.state.leader(), {.position = position, .num_rows = num_rows});
  }

  ServedState served_;
};

TEST_F(PromptScoresTest, EachRowScoresTheTokenBehindIt) {
  EXPECT_EQ(ScoresOf(0, 3), 3u);  // Tokens 1, 2, 3.
  EXPECT_EQ(ScoresOf(3, 3), 2u);  // Tokens 4, 5; the next is generated.
  EXPECT_EQ(ScoresOf(0, 6), 5u);
  EXPECT_EQ(ScoresOf(5, 1), 0u);
  EXPECT_EQ(ScoresOf(6, 1), 0u);
}

TEST_F(PromptScoresTest, EachIsKeptOnceAcrossRecomputation) {
  for (const uint32_t position : {1, 2, 1, 2, 3}) {
    served_.AddPromptScores(position);
  }
  EXPECT_THAT(served_.TakeDelta().prompt_logprobs, SizeIs(3));
}

TEST_F(PromptScoresTest, ARecomputedRunAsksOnlyForWhatIsMissing) {
  for (uint32_t i = 1; i <= 3; ++i) served_.AddPromptScores(i);
  EXPECT_EQ(ScoresOf(0, 3), 0u);
  EXPECT_EQ(ScoresOf(0, 4), 4u);  // A run is scored whole.
  served_.AddPromptScores(4);
  served_.AddPromptScores(5);
  EXPECT_EQ(ScoresOf(0, 6), 0u);
}

TEST(RequestStateTest, NoPromptScoresUnlessAskedFor) {
  const ServedState served(Request(6, 9));
  EXPECT_EQ(served.state.PromptScoresOf(served.state.leader(),
                                        {.position = 0, .num_rows = 6}),
            0u);
}

TEST(RequestStateTest, IsProtectedUntilItsNextToken) {
  BlockPool pool(4);
  ServedState served(Request(2, 9));
  served.Append(3);
  served.state.leader().Enter(&pool, /*block_size=*/2, /*num_slots=*/4);
  served.state.OnAdmitted(AdmissionMode::kFullPrompt, /*num_found=*/0);
  EXPECT_TRUE(served.state.is_protected());
  served.Append(4);
  EXPECT_FALSE(served.state.is_protected());
}

TEST(RequestStateTest, IsNotProtectedWithoutTheBlocksToGetThere) {
  ServedState served(Request(2, 9));
  served.state.OnAdmitted(AdmissionMode::kFirstChunk, /*num_found=*/0);
  EXPECT_FALSE(served.state.is_protected());
}

TEST(RequestStateTest, IsProtectedToItsEndWhereItHasTheBlocksForIt) {
  ServedState served(Request(2, 9));
  served.state.OnAdmitted(AdmissionMode::kWorstCase, /*num_found=*/0);
  served.Append(4);
  EXPECT_TRUE(served.state.is_protected());
}

// --- Several sequences

GenerationRequest Samples(uint32_t num_sequences, uint32_t num_returned) {
  GenerationRequest request = Request(/*prompt_length=*/6, /*max_tokens=*/2);
  request.num_sequences = num_sequences;
  request.num_returned = num_returned;
  return request;
}

TEST(SamplesTest, EachIsProtectedUntilAllHaveGainedAToken) {
  BlockPool pool(8);
  ServedState served(Samples(2, 2));
  for (const auto& sequence : served.state.sequences()) {
    sequence->Enter(&pool, /*block_size=*/2, /*num_slots=*/7);
  }
  served.state.OnAdmitted(AdmissionMode::kFullPrompt, /*num_found=*/0);
  served.Append(0, 3, -1);
  EXPECT_TRUE(served.state.is_protected());
  served.Append(1, 3, -1);
  EXPECT_FALSE(served.state.is_protected());
}

TEST(SamplesTest, AllButTheLastPromptTokenIsShared) {
  ServedState served(Samples(2, 2));
  EXPECT_EQ(served.state.SharedSlots(*served.state.sequences()[0]), 0u);
  EXPECT_EQ(served.state.SharedSlots(*served.state.sequences()[1]), 5u);
}

TEST(SamplesTest, WhatIsGeneratedAlikeIsSharedToo) {
  ServedState served(Samples(2, 2));
  served.Append(0, 8, -1);
  served.Append(1, 8, -1);
  EXPECT_EQ(served.state.SharedSlots(*served.state.sequences()[1]), 6u);
}

TEST(SamplesTest, DeltasNameTheirSequence) {
  ServedState served(Samples(3, 3));
  served.Append(2, 7, -1);
  EXPECT_EQ(served.TakeDelta().sequence, 2u);
}

TEST(SamplesTest, RankedOnesComeTogetherTheBestFirst) {
  ServedState served(Samples(3, 2));
  for (uint32_t i = 0; i < 3; ++i) served.Append(i, 10 + i, -1);
  EXPECT_FALSE(served.HasDelta());
  served.Append(0, 1, -3);
  served.Append(1, 1, -9);
  EXPECT_FALSE(served.HasDelta());
  EXPECT_EQ(served.Append(2, 1, -1), FinishReason::kLength);
  const auto deltas = served.Receive().deltas;
  ASSERT_THAT(deltas, SizeIs(2));
  EXPECT_THAT(deltas[0].tokens, ElementsAre(12, 1));
  EXPECT_EQ(deltas[0].sequence, 0u);
  EXPECT_EQ(deltas[0].score, -1);
  EXPECT_THAT(deltas[1].tokens, ElementsAre(10, 1));
  EXPECT_EQ(deltas[1].sequence, 1u);
  EXPECT_EQ(deltas[1].score, -2);
}

}  // namespace
}  // namespace quire
