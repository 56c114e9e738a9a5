#include "client/reproduce_runs.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace quire {
namespace {

double Requests(const SimulationFigures& figures) {
  return static_cast<double>(figures.num_requests);
}

TEST(ReproduceRunsTest, RunsEachExperimentOnceASeed) {
  int num_reports = 0;
  ReproduceRuns runs({.num_seeds = 3,
                      .seconds = 10,
                      .report = [&](const Experiment&) { ++num_reports; }});
  const auto& figures = runs.Of({.rate = 2});
  ASSERT_EQ(figures.size(), 3);
  EXPECT_NE(figures[0].duration_s, figures[1].duration_s);
  runs.Figure({.rate = 2}, Requests);
  EXPECT_EQ(num_reports, 1);
  runs.Of({.rate = 2, .block_size = 32});
  EXPECT_EQ(num_reports, 2);
}

TEST(ReproduceRunsTest, RequestsArriveForAsLongAsIsAsked) {
  ReproduceRuns runs({.num_seeds = 1, .seconds = 10});
  EXPECT_EQ(runs.Figure({.rate = 2}, Requests).mean, 20);
  EXPECT_EQ(runs.Figure({.policy = ServingPolicy::kOrcaOracle,
                         .trace = TraceShape::kAlpaca,
                         .rate = 50'000},
                        Requests)
                .mean,
            20'000);
}

}  // namespace
}  // namespace quire
