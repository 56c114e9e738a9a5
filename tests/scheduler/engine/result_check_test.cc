#include "scheduler/engine/result_check.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::HasSubstr;

// A prompt chunk that is scored, and a decode.
class ResultCheckTest : public testing::Test {
 protected:
  ResultCheckTest() {
    AddScore(1, 5);
    AddScore(1, 6);
    AddToken(2, 9, 42);
  }

  void AddScore(uint64_t sequence, uint32_t position) {
    auto& scores = *result_.mutable_prompt_logprobs();
    scores.add_sequence(sequence);
    scores.add_position(position);
    scores.add_logprob(-1);
    scores.add_num_top(0);
  }
  void AddToken(uint64_t sequence, uint32_t position, Token token) {
    auto& sampled = *result_.mutable_sampled();
    sampled.add_sequence(sequence);
    sampled.add_position(position);
    sampled.add_token(token);
    sampled.add_logprob(-1);
    sampled.add_num_top(1);
    sampled.add_top_token(token);
    sampled.add_top_logprob(-1);
  }
  std::string Complaint() {
    const absl::Status status = CheckResult(runs_, result_);
    return std::string(status.message());
  }

  const std::vector<quire::Run> runs_ = {{.sequence = SequenceId(1),
                                          .position = 4,
                                          .num_rows = 2,
                                          .num_scored = 2},
                                         {.sequence = SequenceId(2),
                                          .position = 8,
                                          .num_rows = 1,
                                          .samples = true,
                                          .num_top = 1}};
  worker::v1::StepResult result_;
};

TEST_F(ResultCheckTest, ARunGivesAtMostATokenMoreThanItHasDrafts) {
  std::vector<quire::Run> runs = runs_;
  runs[1].num_rows = 3;
  runs[1].num_drafts = 2;
  for (const uint32_t position : {10, 11}) {
    EXPECT_TRUE(CheckResult(runs, result_).ok());
    AddToken(2, position, 43);
  }
  EXPECT_TRUE(CheckResult(runs, result_).ok());
  AddToken(2, 12, 44);
  EXPECT_THAT(std::string(CheckResult(runs, result_).message()),
              HasSubstr("give 4 where 3 were asked for"));
  result_.mutable_sampled()->set_position(2, 13);
  EXPECT_THAT(std::string(CheckResult(runs, result_).message()),
              HasSubstr("position 13 of sequence 2 where position 11"));
}

TEST_F(ResultCheckTest, TakesWhatWasAskedFor) {
  EXPECT_TRUE(CheckResult(runs_, result_).ok());
}

TEST_F(ResultCheckTest, TakesNothingWhereNothingWasAsked) {
  EXPECT_TRUE(CheckResult({}, worker::v1::StepResult()).ok());
}

TEST_F(ResultCheckTest, CountsTheAlternativesOfATokenAndOfAScore) {
  result_.mutable_sampled()->set_num_top(0, 2);
  result_.mutable_sampled()->add_top_token(7);
  result_.mutable_sampled()->add_top_logprob(-2);
  EXPECT_EQ(Complaint(),
            "sampled tokens give 2 alternatives for position 9 of sequence 2 "
            "where 1 were asked for");
  result_.mutable_prompt_logprobs()->set_num_top(1, 1);
  result_.mutable_prompt_logprobs()->add_top_token(7);
  result_.mutable_prompt_logprobs()->add_top_logprob(-2);
  result_.clear_sampled();
  AddToken(2, 9, 42);
  EXPECT_EQ(Complaint(),
            "prompt log-probabilities give 1 alternatives for position 6 of "
            "sequence 1 where 0 were asked for");
}

TEST_F(ResultCheckTest, AFailedSequenceNeedsNoAlternatives) {
  result_.add_failed_sequences(2);
  result_.mutable_sampled()->set_num_top(0, 0);
  result_.mutable_sampled()->clear_top_token();
  result_.mutable_sampled()->clear_top_logprob();
  EXPECT_EQ(Complaint(), "");
}

TEST_F(ResultCheckTest, OnlyASequenceOfTheStepCanFail) {
  result_.add_failed_sequences(3);
  EXPECT_EQ(Complaint(), "sequence 3 failed and has no rows in this step");
}

TEST_F(ResultCheckTest, MissesAToken) {
  result_.clear_sampled();
  EXPECT_EQ(Complaint(), "sampled tokens lack position 9 of sequence 2");
}

TEST_F(ResultCheckTest, FindsATokenNobodyAskedFor) {
  AddToken(3, 1, 7);
  EXPECT_EQ(Complaint(), "sampled tokens give 2 where 1 were asked for");
}

TEST_F(ResultCheckTest, FindsATokenInTheWrongPlace) {
  result_.mutable_sampled()->set_position(0, 8);
  EXPECT_EQ(Complaint(),
            "sampled tokens give position 8 of sequence 2 where position 9 of "
            "sequence 2 was asked for");
}

TEST_F(ResultCheckTest, FindsATokenOfAnotherSequence) {
  result_.mutable_sampled()->set_sequence(0, 1);
  EXPECT_THAT(Complaint(), HasSubstr("give position 9 of sequence 1"));
}

TEST_F(ResultCheckTest, FindsATokenThatIsNone) {
  result_.mutable_sampled()->set_token(0, -1);
  EXPECT_EQ(Complaint(), "token -1 was sampled");
}

TEST_F(ResultCheckTest, FindsALogProbabilityThatIsNone) {
  result_.mutable_sampled()->set_logprob(0, std::nanf(""));
  EXPECT_EQ(Complaint(), "sampled tokens have a log-probability of nan");
}

TEST_F(ResultCheckTest, FindsAnAlternativeThatIsMoreThanCertain) {
  result_.mutable_sampled()->set_top_logprob(
      0, std::numeric_limits<float>::infinity());
  EXPECT_EQ(Complaint(), "sampled tokens have a log-probability of inf");
}

TEST_F(ResultCheckTest, MissesAScore) {
  result_.clear_prompt_logprobs();
  AddScore(1, 5);
  EXPECT_EQ(Complaint(),
            "prompt log-probabilities lack position 6 of sequence 1");
}

TEST_F(ResultCheckTest, FindsArraysOfDifferentLength) {
  result_.mutable_sampled()->add_logprob(0);
  EXPECT_THAT(Complaint(), HasSubstr("differ in length"));
}

TEST_F(ResultCheckTest, FindsATokenMissingInItsArray) {
  result_.mutable_sampled()->clear_token();
  EXPECT_THAT(Complaint(), HasSubstr("differ in length"));
}

TEST_F(ResultCheckTest, FindsAlternativesThatDoNotAddUp) {
  result_.mutable_sampled()->set_num_top(0, 3);
  EXPECT_THAT(Complaint(), HasSubstr("announce 3 alternatives and list 1"));
}

}  // namespace
}  // namespace quire
