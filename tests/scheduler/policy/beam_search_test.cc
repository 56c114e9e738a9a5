#include "scheduler/policy/beam_search.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr BeamSearchRules kTwo = {.width = 2, .max_tokens = 10};

std::vector<Token> TokensOf(const std::vector<BeamCandidate>& beams) {
  std::vector<Token> tokens;
  for (const BeamCandidate& beam : beams) tokens.push_back(beam.token);
  return tokens;
}

std::vector<Token> TokensOf(const std::vector<BeamHypothesis>& hypotheses) {
  std::vector<Token> tokens;
  for (const BeamHypothesis& h : hypotheses) tokens.push_back(h.last.token);
  return tokens;
}

TEST(BeamSearchTest, TheBestCandidatesOfAllBeamsGoOn) {
  const BeamSearchStep step =
      StepBeamSearch(kTwo, 1,
                     {{.beam = 0, .token = 1, .cumulative_logprob = -3},
                      {.beam = 1, .token = 2, .cumulative_logprob = -1},
                      {.beam = 1, .token = 3, .cumulative_logprob = -2}},
                     {});
  EXPECT_THAT(TokensOf(step.beams), ElementsAre(2, 3));
  EXPECT_EQ(step.beams[0].beam, 1u);
  EXPECT_THAT(step.hypotheses, IsEmpty());
  EXPECT_FALSE(step.done());
}

TEST(BeamSearchTest, AnEndAmongTheBestIsAHypothesisAndTakesNoBeam) {
  const BeamSearchStep step = StepBeamSearch(
      kTwo, 4,
      {{.token = 1, .cumulative_logprob = -8, .ends = true},
       {.token = 2, .cumulative_logprob = -9},
       {.token = 3, .cumulative_logprob = -10, .ends = true},  // Third of all.
       {.token = 4, .cumulative_logprob = -11}},
      {});
  EXPECT_THAT(TokensOf(step.hypotheses), ElementsAre(1));
  EXPECT_THAT(step.hypotheses[0].score, DoubleEq(-8.0 / 4));
  EXPECT_THAT(TokensOf(step.beams), ElementsAre(2, 4));
}

TEST(BeamSearchTest, TheScoreIsPenalizedByLength) {
  const auto score = [](double penalty) {
    BeamSearchRules rules = kTwo;
    rules.length_penalty = penalty;
    return StepBeamSearch(rules, 4, {{.cumulative_logprob = -8, .ends = true}},
                          {})
        .hypotheses[0]
        .score;
  };
  EXPECT_THAT(score(0), DoubleEq(-8));
  EXPECT_THAT(score(2), DoubleEq(-0.5));
  EXPECT_THAT(score(-1), DoubleEq(-32));
}

TEST(BeamSearchTest, TheLastTokenCompletesTheBest) {
  const BeamSearchStep step =
      StepBeamSearch(kTwo, 10,
                     {{.token = 1, .cumulative_logprob = -10},
                      {.token = 2, .cumulative_logprob = -20, .ends = true},
                      {.token = 3, .cumulative_logprob = -30}},
                     {});
  EXPECT_THAT(TokensOf(step.hypotheses), ElementsAre(1, 2));
  EXPECT_THAT(step.beams, IsEmpty());
  EXPECT_TRUE(step.done());
}

struct StopCase {
  EarlyStopping early_stopping;
  double length_penalty;
  double best_beam;  // Cumulative log-probability, after 4 of 10 tokens.
  std::vector<double> kept_scores;
  bool done;
};

class BeamSearchStopTest : public testing::TestWithParam<StopCase> {};

TEST_P(BeamSearchStopTest, EndsWhenNoBeamCanImprove) {
  const StopCase& c = GetParam();
  const BeamSearchRules rules = {.width = 2,
                                 .length_penalty = c.length_penalty,
                                 .early_stopping = c.early_stopping,
                                 .max_tokens = 10};
  const BeamSearchStep step = StepBeamSearch(
      rules, 4, {{.cumulative_logprob = c.best_beam}}, c.kept_scores);
  EXPECT_EQ(step.done(), c.done);
}

using enum EarlyStopping;
INSTANTIATE_TEST_SUITE_P(
    Cases, BeamSearchStopTest,
    testing::Values(
        // Not as many as the width.
        StopCase{kTrue, 1, -40, {-1}, false},
        StopCase{kFalse, 1, -40, {-1}, false},
        StopCase{kNever, 1, -40, {-1}, false},
        // Enough.
        StopCase{kTrue, 1, -1, {-1, -2}, true},
        // -8 / 4 as it is is no better than the worst, -1.9 and -2.
        StopCase{kFalse, 1, -8, {-1, -1.9}, true},
        StopCase{kFalse, 1, -8, {-1, -2}, true},
        StopCase{kFalse, 1, -8, {-1, -2.1}, false},
        // -8 / 10, if it costs nothing from here on.
        StopCase{kNever, 1, -8, {-0.5, -0.9}, false},
        StopCase{kNever, 1, -8, {-0.5, -0.7}, true},
        // Without a reward for length more tokens do not help.
        StopCase{kNever, 0, -8, {-1, -8}, true},
        StopCase{kNever, 0, -8, {-1, -8.1}, false},
        StopCase{kNever, -1, -8, {-1, -31}, true},
        StopCase{kNever, -1, -8, {-1, -33}, false}));

TEST(BeamSearchTest, WhatCompletesNowCountsForTheEnd) {
  const BeamSearchRules rules = {
      .width = 2, .early_stopping = kTrue, .max_tokens = 10};
  const BeamSearchStep step =
      StepBeamSearch(rules, 4,
                     {{.token = 1, .cumulative_logprob = -1},
                      {.token = 2, .cumulative_logprob = -2, .ends = true}},
                     std::vector<double>{-5});
  EXPECT_TRUE(step.done());
  EXPECT_THAT(TokensOf(step.hypotheses), ElementsAre(2));
}

}  // namespace
}  // namespace quire
