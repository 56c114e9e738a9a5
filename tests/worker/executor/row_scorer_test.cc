#include "worker/executor/row_scorer.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace quire {
namespace {

constexpr int kVocabulary = 50;
constexpr int kStride = kVocabulary + 3;

// Forty sequences, every fourth row scoring its second prompt token.
class RowScorerTest : public ::testing::Test {
 protected:
  RowScorerTest() {
    for (uint64_t i = 0; i < 40; ++i) {
      const SamplingParams params = {.temperature = 1,
                                     .seed = i,
                                     .top_logprobs = 3,
                                     .top_prompt_logprobs = 2};
      sequences_.push_back({.id = SequenceId(i),
                            .history = TokenHistory({1, 2}, 2, params),
                            .blocks = {},
                            .last_step = StepId(0)});
      for (int token = 0; token < kVocabulary; ++token) {
        logits_.push_back(std::sin(static_cast<float>(i * 50 + token)));
      }
      logits_.resize(logits_.size() + kStride - kVocabulary, NAN);
    }
    for (StoredSequence& s : sequences_) {
      const bool is_sampled = s.id.value() % 4 != 0;
      rows_.push_back({&s, is_sampled ? 2u : 1u, is_sampled});
    }
  }

  std::vector<TokenReport> Score(int num_threads) {
    ThreadPool pool(num_threads);
    RowScorer scorer(&pool, kVocabulary, kStride);
    scorer.Score(rows_, logits_.data());
    return {scorer.scored().begin(), scorer.scored().end()};
  }

  std::vector<StoredSequence> sequences_;
  std::vector<LogitRow> rows_;
  std::vector<float> logits_;
};

TEST_F(RowScorerTest, ResultsDoNotDependOnTheNumberOfThreads) {
  const std::vector<TokenReport> one = Score(1);
  for (const int num_threads : {2, 3, 8}) {
    const std::vector<TokenReport> many = Score(num_threads);
    ASSERT_EQ(many.size(), one.size());
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(many[i].token, one[i].token);
      EXPECT_EQ(many[i].logprob, one[i].logprob);
      EXPECT_EQ(many[i].top.size(), one[i].top.size());
    }
  }
}

TEST_F(RowScorerTest, PromptRowsScoreTheTokenThatIsThere) {
  const std::vector<TokenReport> scored = Score(2);
  EXPECT_EQ(scored[0].token, 2);
  EXPECT_EQ(scored[0].top.size(), 2u);
  EXPECT_EQ(scored[1].top.size(), 3u);
}

TEST_F(RowScorerTest, RowsWithoutADistributionFailByThemselves) {
  logits_[17 * kStride + 3] = std::numeric_limits<float>::quiet_NaN();
  logits_[29 * kStride + 3] = std::numeric_limits<float>::quiet_NaN();
  ThreadPool pool(2);
  RowScorer scorer(&pool, kVocabulary, kStride);
  scorer.Score(rows_, logits_.data());
  for (size_t i = 0; i < rows_.size(); ++i) {
    EXPECT_EQ(scorer.failed(i), i == 17 || i == 29);
  }
  EXPECT_EQ(scorer.scored()[17].token, 0);
  EXPECT_TRUE(scorer.scored()[17].top.empty());
  EXPECT_EQ(scorer.scored()[18].top.size(), 3u);
}

TEST_F(RowScorerTest, FewerRowsAfterManyAreJustThose) {
  ThreadPool pool(2);
  RowScorer scorer(&pool, kVocabulary, kStride);
  scorer.Score(rows_, logits_.data());
  scorer.Score({rows_.data(), 2}, logits_.data());
  EXPECT_EQ(scorer.scored().size(), 2u);
}

}  // namespace
}  // namespace quire
