#include "scheduler/policy/preemption.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace quire {
namespace {

constexpr PreemptionCandidate kAtCheckpoint = {.num_blocks = 3};
constexpr PreemptionCandidate kOnItsWay = {.is_protected = true,
                                           .num_blocks = 3};

struct Case {
  const char* name;
  std::vector<PreemptionCandidate> running;
  size_t needy;
  uint64_t num_missing;
  std::vector<size_t> victims;
};

class PreemptionTest : public testing::TestWithParam<Case> {};

TEST_P(PreemptionTest, Chooses) {
  EXPECT_EQ(ChooseVictims(GetParam().running, GetParam().needy,
                          GetParam().num_missing),
            GetParam().victims);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, PreemptionTest,
    testing::Values(
        Case{"TheLatestArrivalFirst",
             {kAtCheckpoint, kAtCheckpoint, kAtCheckpoint},
             0,
             1,
             {2}},
        Case{"NotOneOnTheWayToItsCheckpoint",
             {kAtCheckpoint, kAtCheckpoint, kOnItsWay},
             0,
             1,
             {1}},
        Case{"NotTheNeedyOneItself", {kAtCheckpoint, kAtCheckpoint}, 1, 1, {}},
        Case{"NobodyAheadOfTheNeedyOne",
             {kAtCheckpoint, kAtCheckpoint, kOnItsWay},
             1,
             1,
             {}},
        Case{"NobodyWhereAllAreOnTheirWay",
             {kAtCheckpoint, kOnItsWay, kOnItsWay},
             0,
             1,
             {}},
        Case{"NobodyWhereItIsAlone", {kAtCheckpoint}, 0, 1, {}},
        Case{"NoMoreThanCanBeEnough",
             {kAtCheckpoint, kAtCheckpoint, kAtCheckpoint},
             0,
             3,
             {2}},
        Case{"AsManyAsItTakes",
             {kAtCheckpoint, kAtCheckpoint, kOnItsWay, kAtCheckpoint},
             0,
             4,
             {3, 1}},
        Case{"NobodyWhereAllTogetherHoldTooFew",
             {kAtCheckpoint, kAtCheckpoint, kOnItsWay, kAtCheckpoint},
             0,
             7,
             {}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(PreemptionModeTest, HasANameAsAFlag) {
  for (const char* name : {"auto", "recompute", "swap"}) {
    PreemptionMode mode;
    std::string error;
    EXPECT_TRUE(AbslParseFlag(name, &mode, &error));
    EXPECT_EQ(AbslUnparseFlag(mode), name);
  }
}

TEST(PreemptionModeTest, AnUnknownNameIsRefusedWithThoseThatThereAre) {
  PreemptionMode mode = PreemptionMode::kSwap;
  std::string error;
  EXPECT_FALSE(AbslParseFlag("never", &mode, &error));
  EXPECT_EQ(error, "it must be auto, recompute or swap");
  EXPECT_EQ(mode, PreemptionMode::kSwap);
}

struct KindCase {
  const char* name;
  PreemptionMode mode = PreemptionMode::kAuto;
  VictimCost victim = {.num_rows = 160, .num_blocks = 10};
  uint32_t num_free_host_blocks = 10;
  WorkRates rates = {.ns_per_prompt_row = 1000, .ns_per_swapped_block = 1000};
  Preemption kind = Preemption::kSwap;
};

class PreemptionKindTest : public testing::TestWithParam<KindCase> {};

TEST_P(PreemptionKindTest, Chooses) {
  const KindCase& given = GetParam();
  EXPECT_EQ(ChoosePreemption(given.mode, given.victim,
                             given.num_free_host_blocks, given.rates),
            given.kind);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, PreemptionKindTest,
    testing::Values(KindCase{.name = "MovingBlocksTwiceIsCheaperThanTheirRows"},
                    KindCase{.name = "RowsAreCheaperThanMovingTheirBlocks",
                             .rates = {.ns_per_prompt_row = 100,
                                       .ns_per_swapped_block = 1000},
                             .kind = Preemption::kRecompute},
                    KindCase{.name = "OfEqualsTheOneThatNeedsNoRoom",
                             .rates = {.ns_per_prompt_row = 125,
                                       .ns_per_swapped_block = 1000},
                             .kind = Preemption::kRecompute},
                    KindCase{.name = "RowsThatOthersKeepNeedNoComputing",
                             .victim = {.num_rows = 16, .num_blocks = 10},
                             .kind = Preemption::kRecompute},
                    KindCase{.name = "WithoutRoomForAllBlocksNone",
                             .num_free_host_blocks = 9,
                             .kind = Preemption::kRecompute},
                    KindCase{.name = "WithoutRoomTheOperatorsWishIsInVain",
                             .mode = PreemptionMode::kSwap,
                             .num_free_host_blocks = 9,
                             .kind = Preemption::kRecompute},
                    KindCase{.name = "TheOperatorMayInsistOnSwapping",
                             .mode = PreemptionMode::kSwap,
                             .rates = {.ns_per_prompt_row = 1,
                                       .ns_per_swapped_block = 1000}},
                    KindCase{.name = "TheOperatorMayForbidSwapping",
                             .mode = PreemptionMode::kRecompute,
                             .kind = Preemption::kRecompute},
                    KindCase{.name = "SwappingIsTriedBeforeItWasMeasured",
                             .rates = {.ns_per_prompt_row = 1}},
                    KindCase{.name = "RecomputingIsTriedBeforeItWasMeasured",
                             .rates = {.ns_per_swapped_block = 1},
                             .kind = Preemption::kRecompute},
                    KindCase{.name = "WhoCannotBeSwappedIsComputedAgain",
                             .mode = PreemptionMode::kSwap,
                             .victim = {.num_rows = 160,
                                        .num_blocks = 10,
                                        .can_be_swapped = false},
                             .kind = Preemption::kRecompute},
                    KindCase{.name = "WhoHoldsNoTokensHasNothingToSwap",
                             .mode = PreemptionMode::kSwap,
                             .victim = {},
                             .kind = Preemption::kRecompute}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace quire
