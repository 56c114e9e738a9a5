#include "scheduler/engine/in_flight_step.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

// One sequence samples one token on two ranks.
class InFlightStepTest : public testing::Test {
 protected:
  worker::v1::StepResult Answer(uint64_t execute_ns) {
    worker::v1::StepResult result;
    result.mutable_timings()->set_execute_ns(execute_ns);
    return result;
  }
  worker::v1::StepResult AnswerWithToken(Token token, uint64_t execute_ns) {
    worker::v1::StepResult result = Answer(execute_ns);
    auto& sampled = *result.mutable_sampled();
    sampled.add_sequence(1);
    sampled.add_position(3);
    sampled.add_token(token);
    sampled.add_logprob(-1);
    sampled.add_num_top(0);
    return result;
  }

  InFlightStep step_{StepId(5),
                     /*num_ranks=*/2,
                     {{.sequence = SequenceId(1),
                       .position = 2,
                       .num_rows = 1,
                       .samples = true}},
                     /*num_swapped_blocks=*/0,
                     absl::UnixEpoch()};
};

TEST_F(InFlightStepTest, IsCompleteWhenAllRanksHaveAnswered) {
  EXPECT_TRUE(step_.Accept(Rank(1), Answer(10)).ok());
  EXPECT_TRUE(step_.HasAnswerOf(Rank(1)));
  EXPECT_FALSE(step_.complete());
  EXPECT_TRUE(step_.Accept(Rank(0), AnswerWithToken(7, 20)).ok());
  EXPECT_TRUE(step_.complete());
}

TEST_F(InFlightStepTest, TheTokensOfRank0Count) {
  ASSERT_TRUE(step_.Accept(Rank(0), AnswerWithToken(7, 20)).ok());
  ASSERT_TRUE(step_.Accept(Rank(1), AnswerWithToken(8, 10)).ok());
  EXPECT_EQ(step_.result().sampled().token(0), 7);
}

TEST_F(InFlightStepTest, TheTimeOfTheSlowestRankCounts) {
  ASSERT_TRUE(step_.Accept(Rank(1), Answer(30)).ok());
  ASSERT_TRUE(step_.Accept(Rank(0), AnswerWithToken(7, 20)).ok());
  EXPECT_EQ(step_.slowest().execute_ns(), 30u);
}

TEST_F(InFlightStepTest, SoDoesTheTimeOfTheSlowestSwap) {
  worker::v1::StepResult slow = Answer(1);
  slow.mutable_timings()->set_swap_ns(50);
  ASSERT_TRUE(step_.Accept(Rank(1), slow).ok());
  ASSERT_TRUE(step_.Accept(Rank(0), AnswerWithToken(7, 20)).ok());
  EXPECT_EQ(step_.slowest().swap_ns(), 50u);
}

TEST_F(InFlightStepTest, AFailedRankIsAnError) {
  worker::v1::StepResult failed;
  failed.set_status_code(8);
  failed.set_status_message("out of memory");
  const absl::Status status = step_.Accept(Rank(1), std::move(failed));
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(std::string(status.message()), "failed with code 8: out of memory");
  EXPECT_FALSE(step_.complete());
}

TEST_F(InFlightStepTest, AMissingTokenIsAnError) {
  EXPECT_FALSE(step_.Accept(Rank(0), Answer(10)).ok());
}

}  // namespace
}  // namespace quire
