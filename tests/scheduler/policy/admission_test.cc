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
  bool can_admit;
};

class AdmissionTest : public testing::TestWithParam<Case> {};

TEST_P(AdmissionTest, Decides) {
  EXPECT_EQ(CanAdmit(GetParam().request, GetParam().pool),
            GetParam().can_admit);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, AdmissionTest,
    testing::Values(
        Case{"WhatItNeedsIsThereExactly",
             {.num_blocks = 2},
             {.num_available = 2},
             true},
        Case{"OneBlockShort", {.num_blocks = 2}, {.num_available = 1}, false},
        Case{"NewRequestsLeaveNothingForOthers",
             {.num_blocks = 2},
             {.num_available = 2, .num_running = 3},
             true},
        Case{"APreemptedOneLeavesABlockForEachOther",
             {.num_blocks = 4, .was_preempted = true},
             {.num_available = 7, .num_running = 3},
             true},
        Case{"APreemptedOneWaitsUntilItCan",
             {.num_blocks = 4, .was_preempted = true},
             {.num_available = 6, .num_running = 3},
             false},
        Case{"APreemptedOneAloneComesBack",
             {.num_blocks = 4, .was_preempted = true},
             {.num_available = 4},
             true}),
    [](const auto& info) { return std::string(info.param.name); });

// --- Modes

TEST(ModeForTest, TheRuleHoldsForWhoComesNew) {
  for (const AdmissionMode mode :
       {AdmissionMode::kFirstChunk, AdmissionMode::kFullPrompt,
        AdmissionMode::kWorstCase}) {
    EXPECT_EQ(ModeFor(mode, /*num_preemptions=*/0, /*is_fork=*/false), mode);
  }
}

TEST(ModeForTest, ForksAndReturningOnesAreAdmittedInFull) {
  EXPECT_EQ(ModeFor(AdmissionMode::kFirstChunk, 0, /*is_fork=*/true),
            AdmissionMode::kFullPrompt);
  EXPECT_EQ(ModeFor(AdmissionMode::kFirstChunk, 1, false),
            AdmissionMode::kFullPrompt);
  EXPECT_EQ(ModeFor(AdmissionMode::kWorstCase, 1, true),
            AdmissionMode::kWorstCase);
}

TEST(ModeForTest, AfterTheLastPreemptionOneReturnsForTheWorstCase) {
  EXPECT_EQ(ModeFor(AdmissionMode::kFirstChunk, kMaxPreemptions - 1, false),
            AdmissionMode::kFullPrompt);
  EXPECT_EQ(ModeFor(AdmissionMode::kFirstChunk, kMaxPreemptions, false),
            AdmissionMode::kWorstCase);
}

// --- Slots and blocks

constexpr SequenceLengths kPrompt7 = {
    .prompt_tokens = 7, .max_tokens = 10, .known_tokens = 7};

TEST(SlotsAtAdmissionTest, FullPromptIsAllThatIsKnownAndTheNextToken) {
  const auto slots = [](SequenceLengths lengths) {
    return SlotsAtAdmission(AdmissionMode::kFullPrompt, lengths, /*chunk=*/4);
  };
  EXPECT_EQ(slots(kPrompt7), 8u);
  EXPECT_EQ(slots({.prompt_tokens = 7, .max_tokens = 10, .known_tokens = 12}),
            13u);
  // The last token is sampled and never read.
  EXPECT_EQ(slots({.prompt_tokens = 8, .max_tokens = 1, .known_tokens = 8}),
            8u);
}

TEST(SlotsAtAdmissionTest, FirstChunkIsNoMoreThanAChunk) {
  EXPECT_EQ(SlotsAtAdmission(AdmissionMode::kFirstChunk, kPrompt7, 4), 4u);
  EXPECT_EQ(SlotsAtAdmission(AdmissionMode::kFirstChunk, kPrompt7, 100), 8u);
}

TEST(SlotsAtAdmissionTest, WorstCaseIsAllThereWillEverBe) {
  EXPECT_EQ(SlotsAtAdmission(AdmissionMode::kWorstCase, kPrompt7, 4), 16u);
}

TEST(BlocksAtEndTest, SequencesShareTheBlocksThatThePromptFills) {
  EXPECT_EQ(BlocksAtEnd(kPrompt7, 1, /*block_size=*/4), 4u);
  EXPECT_EQ(BlocksAtEnd(kPrompt7, 3, /*block_size=*/4), 1u + 3 * 3u);
  // The last prompt token is computed by each for itself.
  EXPECT_EQ(BlocksAtEnd({.prompt_tokens = 8, .max_tokens = 1}, 2, 4), 1u + 2u);
}

TEST(CheckFitsPoolTest, TheEndMayFillThePool) {
  EXPECT_TRUE(
      CheckFitsPool(kPrompt7, 1, /*block_size=*/4, /*num_blocks=*/4).ok());
  EXPECT_TRUE(CheckFitsPool(kPrompt7, 2, 4, 7).ok());
}

TEST(CheckFitsPoolTest, NamesTheNumbers) {
  const absl::Status status = CheckFitsPool(kPrompt7, 1, 4, 3);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()),
            "a prompt of 7 tokens with max_tokens 10 needs 4 blocks of 4 "
            "tokens; the KV cache has 3");
  EXPECT_EQ(std::string(CheckFitsPool(kPrompt7, 2, 4, 6).message()),
            "a prompt of 7 tokens with max_tokens 10 and 2 sequences needs 7 "
            "blocks of 4 tokens; the KV cache has 6");
}

TEST(CheckFitsPoolTest, NothingFitsAnEmptyPool) {
  EXPECT_FALSE(
      CheckFitsPool({.prompt_tokens = 1, .max_tokens = 1}, 1, 4, 0).ok());
}

}  // namespace
}  // namespace quire
