#include "scheduler/engine/request_state.h"

#include <memory>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
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

RequestState MakeState(GenerationRequest request) {
  return RequestState(
      std::move(request), {.arrival = 1}, [] { return SequenceId(1); }, kNow);
}

FinishReason Append(RequestState& state, Token token) {
  return state
      .Continue(state.leader(), {.chosen = {.token = token, .logprob = -1}},
                kNow)
      .reason;
}

bool HasDelta(RequestState& state) {
  bool has = false;
  state.TakeDeltas([&](SequenceDelta) { has = true; });
  return has;
}

SequenceDelta TakeDelta(RequestState& state) {
  SequenceDelta taken;
  state.TakeDeltas([&](SequenceDelta delta) { taken = std::move(delta); });
  return taken;
}

TEST(RequestStateTest, EndsAtMaxTokens) {
  RequestState state = MakeState(Request(2, /*max_tokens=*/2));
  EXPECT_EQ(Append(state, 1), FinishReason::kNone);
  EXPECT_EQ(Append(state, 2), FinishReason::kLength);
  const SequenceDelta delta = TakeDelta(state);
  EXPECT_THAT(delta.tokens, ElementsAre(1, 2));
  EXPECT_EQ(delta.finish_reason, FinishReason::kLength);
  EXPECT_EQ(delta.stop_reason, "");
}

TEST(RequestStateTest, EndsAtAStopTokenAndNamesIt) {
  GenerationRequest request = Request(2, 9);
  request.stop_tokens = {5, 6};
  RequestState state = MakeState(std::move(request));
  EXPECT_EQ(Append(state, 4), FinishReason::kNone);
  EXPECT_EQ(Append(state, 6), FinishReason::kStop);
  const SequenceDelta delta = TakeDelta(state);
  EXPECT_THAT(delta.tokens, ElementsAre(4, 6));
  EXPECT_EQ(delta.stop_reason, "6");
}

TEST(RequestStateTest, AStopTokenCountsOnlyAfterMinTokens) {
  GenerationRequest request = Request(2, 9);
  request.stop_tokens = {5};
  request.sampling.set_min_tokens(2);
  RequestState state = MakeState(std::move(request));
  EXPECT_EQ(Append(state, 5), FinishReason::kNone);
  EXPECT_EQ(Append(state, 5), FinishReason::kNone);
  EXPECT_EQ(Append(state, 5), FinishReason::kStop);
}

TEST(RequestStateTest, AStopTokenAtMaxTokensIsAStop) {
  GenerationRequest request = Request(2, 1);
  request.stop_tokens = {5};
  RequestState state = MakeState(std::move(request));
  EXPECT_EQ(Append(state, 5), FinishReason::kStop);
}

TEST(RequestStateTest, TheFilterEndsASequenceAtAStopString) {
  GenerationRequest request = Request(2, 9);
  request.filters.push_back(std::make_unique<LetterFilter>("BC"));
  RequestState state = MakeState(std::move(request));
  EXPECT_EQ(Append(state, 0), FinishReason::kNone);
  EXPECT_EQ(Append(state, 1), FinishReason::kNone);
  EXPECT_EQ(Append(state, 2), FinishReason::kStop);
  const SequenceDelta delta = TakeDelta(state);
  EXPECT_EQ(delta.stop_reason, "BC");
  EXPECT_EQ(delta.text, "AB");  // What the filter held back stays back.
}

TEST(RequestStateTest, TextHeldBackComesAtTheEnd) {
  GenerationRequest request = Request(2, 2);
  request.filters.push_back(std::make_unique<LetterFilter>());
  RequestState state = MakeState(std::move(request));
  Append(state, 0);
  EXPECT_EQ(TakeDelta(state).text, "");
  Append(state, 1);
  EXPECT_EQ(TakeDelta(state).text, "AB");
}

TEST(RequestStateTest, LogprobsAreKeptWhereAskedFor) {
  RequestState silent = MakeState(Request(2, 9));
  Append(silent, 3);
  EXPECT_THAT(TakeDelta(silent).logprobs, IsEmpty());

  GenerationRequest request = Request(2, 9);
  request.reports_logprobs = true;
  RequestState state = MakeState(std::move(request));
  Append(state, 3);
  const SequenceDelta delta = TakeDelta(state);
  ASSERT_THAT(delta.logprobs, SizeIs(1));
  EXPECT_EQ(delta.logprobs[0].chosen.token, 3);
}

TEST(RequestStateTest, ADeltaIsTakenOnce) {
  RequestState state = MakeState(Request(2, 9));
  EXPECT_FALSE(HasDelta(state));
  Append(state, 3);
  EXPECT_TRUE(HasDelta(state));
  EXPECT_FALSE(HasDelta(state));
}

class PromptScoresTest : public testing::Test {
 protected:
  PromptScoresTest() : state_(MakeState(ScoringRequest())) {}

  static GenerationRequest ScoringRequest() {
    GenerationRequest request = Request(/*prompt_length=*/6, 9);
    request.reports_prompt_logprobs = true;
    return request;
  }
  uint32_t ScoresOf(uint32_t position, uint32_t num_rows) {
    return state_.PromptScoresOf(state_.leader(),
                                 {.position = position, .num_rows = num_rows});
  }

  RequestState state_;
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
    state_.AddPromptScores(position, {});
  }
  EXPECT_THAT(TakeDelta(state_).prompt_logprobs, SizeIs(3));
}

TEST_F(PromptScoresTest, ARecomputedRunAsksOnlyForWhatIsMissing) {
  for (uint32_t i = 1; i <= 3; ++i) state_.AddPromptScores(i, {});
  EXPECT_EQ(ScoresOf(0, 3), 0u);
  EXPECT_EQ(ScoresOf(0, 4), 4u);  // A run is scored whole.
  state_.AddPromptScores(4, {});
  state_.AddPromptScores(5, {});
  EXPECT_EQ(ScoresOf(0, 6), 0u);
}

TEST(RequestStateTest, NoPromptScoresUnlessAskedFor) {
  const RequestState state = MakeState(Request(6, 9));
  EXPECT_EQ(
      state.PromptScoresOf(state.leader(), {.position = 0, .num_rows = 6}), 0u);
}

TEST(RequestStateTest, IsProtectedUntilItsNextToken) {
  BlockPool pool(4);
  RequestState state = MakeState(Request(2, 9));
  Append(state, 3);
  state.leader().Enter(&pool, /*block_size=*/2, /*num_slots=*/4);
  state.OnAdmitted(AdmissionMode::kFullPrompt, /*num_found=*/0);
  EXPECT_TRUE(state.is_protected());
  Append(state, 4);
  EXPECT_FALSE(state.is_protected());
}

TEST(RequestStateTest, IsNotProtectedWithoutTheBlocksToGetThere) {
  RequestState state = MakeState(Request(2, 9));
  state.OnAdmitted(AdmissionMode::kFirstChunk, /*num_found=*/0);
  EXPECT_FALSE(state.is_protected());
}

TEST(RequestStateTest, IsProtectedToItsEndWhereItHasTheBlocksForIt) {
  RequestState state = MakeState(Request(2, 9));
  state.OnAdmitted(AdmissionMode::kWorstCase, /*num_found=*/0);
  Append(state, 4);
  EXPECT_TRUE(state.is_protected());
}

// --- Several sequences

class SequencesTest : public testing::Test {
 protected:
  static RequestState Make(uint32_t num_sequences, uint32_t num_returned) {
    GenerationRequest request = Request(/*prompt_length=*/6, /*max_tokens=*/2);
    request.num_sequences = num_sequences;
    request.num_returned = num_returned;
    return MakeState(std::move(request));
  }
  static FinishReason Append(RequestState& state, uint32_t index, Token token,
                             float logprob) {
    return state
        .Continue(*state.sequences()[index], {.chosen = {token, logprob}}, kNow)
        .reason;
  }
};

TEST_F(SequencesTest, EachIsProtectedUntilAllHaveGainedAToken) {
  BlockPool pool(8);
  RequestState state = Make(2, 2);
  for (const auto& sequence : state.sequences()) {
    sequence->Enter(&pool, /*block_size=*/2, /*num_slots=*/7);
  }
  state.OnAdmitted(AdmissionMode::kFullPrompt, /*num_found=*/0);
  Append(state, 0, 3, -1);
  EXPECT_TRUE(state.is_protected());
  Append(state, 1, 3, -1);
  EXPECT_FALSE(state.is_protected());
}

TEST_F(SequencesTest, AllButTheLastPromptTokenIsShared) {
  RequestState state = Make(2, 2);
  EXPECT_EQ(state.SharedSlots(*state.sequences()[0]), 0u);
  EXPECT_EQ(state.SharedSlots(*state.sequences()[1]), 5u);
}

TEST_F(SequencesTest, WhatIsGeneratedAlikeIsSharedToo) {
  RequestState state = Make(2, 2);
  Append(state, 0, 8, -1);
  Append(state, 1, 8, -1);
  EXPECT_EQ(state.SharedSlots(*state.sequences()[1]), 6u);
}

TEST_F(SequencesTest, DeltasNameTheirSequence) {
  RequestState state = Make(3, 3);
  Append(state, 2, 7, -1);
  EXPECT_EQ(TakeDelta(state).sequence, 2u);
}

TEST_F(SequencesTest, RankedOnesComeTogetherTheBestFirst) {
  RequestState state = Make(3, 2);
  for (uint32_t i = 0; i < 3; ++i) Append(state, i, 10 + i, -1);
  EXPECT_FALSE(HasDelta(state));
  Append(state, 0, 1, -3);
  Append(state, 1, 1, -9);
  EXPECT_FALSE(HasDelta(state));
  EXPECT_EQ(Append(state, 2, 1, -1), FinishReason::kLength);
  std::vector<SequenceDelta> deltas;
  state.TakeDeltas([&](SequenceDelta delta) { deltas.push_back(delta); });
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
