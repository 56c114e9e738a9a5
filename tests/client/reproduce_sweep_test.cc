#include "client/reproduce_sweep.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

Sweep Of(const std::vector<std::vector<double>>& latencies) {
  return {.name = "a", .rates = {1, 2, 4}, .latencies = latencies};
}

TEST(ReproduceSweepTest, ARateIsKeptUpWithUntilTheLimit) {
  EXPECT_THAT(KeptUp(Of({{0.1, 0.4}, {0.1, 1}, {0.3, 1}})),
              ElementsAre(DoubleNear(3, 1e-9), DoubleNear(0.5, 1e-9)));
}

TEST(ReproduceSweepTest, TheLastRateIsKeptUpWithWhereTheLimitIsNotReached) {
  EXPECT_THAT(KeptUp(Of({{0.1}, {0.1}, {0.2}})), ElementsAre(4));
}

TEST(ReproduceSweepTest, RatiosAreOfTheSameSeed) {
  const Spread ratio = KeptUpRatio(Of({{0, 0}, {0, 0}, {0, 0}}),
                                   Of({{0, 0.4}, {1e9, 1}, {1, 1}}));
  EXPECT_NEAR(ratio.least, 4, 1e-6);
  EXPECT_NEAR(ratio.most, 8, 1e-6);
}

TEST(ReproduceSweepTest, RunsAtEachRate) {
  ReproduceRuns runs({.num_seeds = 2, .seconds = 10});
  const Sweep sweep = SweepOf(runs, "a", {}, {1, 2});
  EXPECT_EQ(sweep.latencies.size(), 2);
  EXPECT_EQ(sweep.latencies[1].size(), 2);
  EXPECT_EQ(sweep.latencies[1][0],
            runs.Of({.rate = 2})[0].mean_token_latency_s);
}

TEST(ReproduceSweepTest, AGridHasAColumnForEachSystem) {
  const ReproducedGrid grid =
      GridOf("g", {Of({{1}, {2}, {3}}), Of({{4}, {5}, {6}})});
  EXPECT_EQ(grid.columns.size(), 2);
  EXPECT_EQ(grid.rows[2].name, "4/s");
  EXPECT_EQ(grid.rows[2].cells[1].mean, 6);
}

}  // namespace
}  // namespace quire
