#include "scheduler/policy/batch_composition.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace quire {
namespace {

using Rows = std::vector<uint32_t>;

struct Case {
  const char* name;
  BatchRoom room;
  Rows wanted;
  Rows granted;
  BatchRoom left;
};

class BatchCompositionTest : public testing::TestWithParam<Case> {};

TEST_P(BatchCompositionTest, Deals) {
  const Case& c = GetParam();
  Rows granted = {77};  // What was there before does not matter.
  const BatchRoom left = DealRows(c.room, c.wanted, granted);
  EXPECT_EQ(granted, c.granted);
  EXPECT_EQ(left.rows, c.left.rows);
  EXPECT_EQ(left.sequences, c.left.sequences);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BatchCompositionTest,
    testing::Values(
        Case{"NothingRuns", {8, 4}, {}, {}, {8, 4}},
        Case{"DecodesTakeARowEach", {8, 4}, {1, 1, 1}, {1, 1, 1}, {5, 1}},
        Case{"DecodesComeBeforeAnEarlierPrompt",
             {8, 4},
             {20, 1, 1},
             {6, 1, 1},
             {0, 1}},
        Case{"TheFirstPromptTakesWhatItCanUse",
             {8, 4},
             {5, 5, 1},
             {5, 2, 1},
             {0, 1}},
        Case{"WhatIsLeftIsForNewOnes", {8, 4}, {3, 1}, {3, 1}, {4, 2}},
        Case{"OneThatWantsNothingStillRuns",
             {8, 4},
             {0, 1, 0},
             {0, 1, 0},
             {7, 1}},
        Case{"ThePromptsWaitWhereDecodesFillTheStep",
             {2, 4},
             {9, 1, 1},
             {0, 1, 1},
             {0, 1}},
        Case{"TheFirstDecodesGoFirst", {2, 4}, {1, 1, 1}, {1, 1, 0}, {0, 1}},
        Case{"AFullHouseTakesNobody", {8, 2}, {1, 1}, {1, 1}, {6, 0}},
        Case{"ALowerLimitThanWhatRunsTakesNobody",
             {8, 1},
             {1, 1},
             {1, 1},
             {6, 0}}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace quire
