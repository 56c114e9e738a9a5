#include "scheduler/policy/admission.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

struct Case {
  const char* name;
  AdmissionRequest request;
  AdmissionPool pool;
  Admission answer;
};

class AdmissionTest : public testing::TestWithParam<Case> {};

TEST_P(AdmissionTest, Decides) {
  EXPECT_EQ(DecideAdmission(GetParam().request, GetParam().pool),
            GetParam().answer);
}

// Blocks of 4 slots. A new request knows its prompt.
constexpr AdmissionRequest kPrompt7 = {
    .prompt_tokens = 7, .max_tokens = 10, .known_tokens = 7};
constexpr AdmissionRequest kPrompt8 = {
    .prompt_tokens = 8, .max_tokens = 10, .known_tokens = 8};
constexpr AdmissionRequest kPrompt8Max1 = {
    .prompt_tokens = 8, .max_tokens = 1, .known_tokens = 8};
constexpr AdmissionRequest kResumed = {.prompt_tokens = 7,
                                       .max_tokens = 10,
                                       .known_tokens = 12,
                                       .was_preempted = true};

INSTANTIATE_TEST_SUITE_P(
    Cases, AdmissionTest,
    testing::Values(
        Case{"PromptAndNextTokenFitExactly",
             kPrompt7,
             {.block_size = 4, .num_blocks = 9, .num_free = 2},
             Admission::kNow},
        Case{"OneBlockShort",
             kPrompt7,
             {.block_size = 4, .num_blocks = 9, .num_free = 1},
             Admission::kLater},
        Case{"TheNextTokenNeedsABlockToo",
             kPrompt8,
             {.block_size = 4, .num_blocks = 9, .num_free = 2},
             Admission::kLater},
        Case{"ALastTokenNeedsNone",
             kPrompt8Max1,
             {.block_size = 4, .num_blocks = 9, .num_free = 2},
             Admission::kNow},
        Case{"TheEndFitsThePoolExactly",
             kPrompt7,
             {.block_size = 4, .num_blocks = 4, .num_free = 4},
             Admission::kNow},
        Case{"TheEndDoesNotFitThePool",
             kPrompt7,
             {.block_size = 4, .num_blocks = 3, .num_free = 3},
             Admission::kNever},
        Case{"AnEmptyPoolNeverFits",
             kPrompt8Max1,
             {.block_size = 4, .num_blocks = 0, .num_free = 0},
             Admission::kNever},
        Case{
            "NewRequestsLeaveNothingForOthers",
            kPrompt7,
            {.block_size = 4, .num_blocks = 9, .num_free = 2, .num_running = 3},
            Admission::kNow},
        Case{
            "APreemptedOneLeavesABlockForEachOther",
            kResumed,
            {.block_size = 4, .num_blocks = 9, .num_free = 7, .num_running = 3},
            Admission::kNow},
        Case{
            "APreemptedOneWaitsUntilItCan",
            kResumed,
            {.block_size = 4, .num_blocks = 9, .num_free = 6, .num_running = 3},
            Admission::kLater},
        Case{"APreemptedOneAloneComesBack",
             kResumed,
             {.block_size = 4, .num_blocks = 4, .num_free = 4},
             Admission::kNow}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(NeverFitsErrorTest, NamesTheNumbers) {
  const absl::Status status = NeverFitsError(
      kPrompt7, {.block_size = 4, .num_blocks = 3, .num_free = 3});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()),
            "a prompt of 7 tokens with max_tokens 10 needs 4 blocks of 4 "
            "tokens; the KV cache has 3");
}

}  // namespace
}  // namespace quire
