#include "scheduler/policy/preemption.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace quire {
namespace {

constexpr PreemptionCandidate kAtCheckpoint = {.is_protected = false};
constexpr PreemptionCandidate kOnItsWay = {.is_protected = true};

struct Case {
  const char* name;
  std::vector<PreemptionCandidate> running;
  size_t needy;
  std::optional<size_t> victim;
};

class PreemptionTest : public testing::TestWithParam<Case> {};

TEST_P(PreemptionTest, Chooses) {
  EXPECT_EQ(ChooseVictim(GetParam().running, GetParam().needy),
            GetParam().victim);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, PreemptionTest,
    testing::Values(
        Case{"TheLatestArrivalFirst",
             {kAtCheckpoint, kAtCheckpoint, kAtCheckpoint},
             0,
             2},
        Case{"NotOneOnTheWayToItsCheckpoint",
             {kAtCheckpoint, kAtCheckpoint, kOnItsWay},
             0,
             1},
        Case{"NotTheNeedyOneItself",
             {kAtCheckpoint, kAtCheckpoint},
             1,
             std::nullopt},
        Case{"NobodyAheadOfTheNeedyOne",
             {kAtCheckpoint, kAtCheckpoint, kOnItsWay},
             1,
             std::nullopt},
        Case{"NobodyWhereAllAreOnTheirWay",
             {kAtCheckpoint, kOnItsWay, kOnItsWay},
             0,
             std::nullopt},
        Case{"NobodyWhereItIsAlone", {kAtCheckpoint}, 0, std::nullopt}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace quire
