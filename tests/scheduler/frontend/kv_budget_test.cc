#include "scheduler/frontend/kv_budget.h"

#include <string>

#include "gtest/gtest.h"

namespace quire {
namespace {

struct Case {
  const char* name;
  KvBudget request;
  uint32_t tokens;
};

class KvBudgetTest : public testing::TestWithParam<Case> {};

TEST_P(KvBudgetTest, Leaves) {
  EXPECT_EQ(TokensWithinBudget(GetParam().request).value(), GetParam().tokens);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, KvBudgetTest,
    testing::Values(
        Case{"WhatThePromptLeaves",
             {.budget_tokens = 30, .prompt_tokens = 10},
             20},
        Case{"EachSequenceAnEqualPart",
             {.budget_tokens = 30, .prompt_tokens = 10, .num_sequences = 4},
             5},
        Case{"NobodyTheRemainder",
             {.budget_tokens = 33, .prompt_tokens = 10, .num_sequences = 4},
             5},
        Case{"JustTheLeast",
             {.budget_tokens = 18,
              .prompt_tokens = 10,
              .num_sequences = 2,
              .min_tokens = 4},
             4},
        Case{"TheLargestNumbersThereAre",
             {.budget_tokens = 4294967295u,
              .prompt_tokens = 1,
              .num_sequences = 64},
             4294967294u / 64}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(TokensWithinBudgetTest, OneThatIsTooSmallIsRefusedWithTheNumbers) {
  EXPECT_EQ(TokensWithinBudget({.budget_tokens = 17,
                                .prompt_tokens = 10,
                                .num_sequences = 2,
                                .min_tokens = 4})
                .status(),
            absl::InvalidArgumentError(
                "kv_budget_tokens is 17; a prompt of 10 tokens and 4 more for "
                "each of 2 sequences need 18"));
}

// The sum does not overflow.
TEST(TokensWithinBudgetTest, NoMinimumIsTooLargeToBeRefused) {
  EXPECT_FALSE(TokensWithinBudget({.budget_tokens = 20,
                                   .prompt_tokens = 10,
                                   .num_sequences = 64,
                                   .min_tokens = 4294967295u})
                   .ok());
}

}  // namespace
}  // namespace quire
