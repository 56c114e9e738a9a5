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

}  // namespace
}  // namespace quire
