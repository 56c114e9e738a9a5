#include "client/reproduce_runs.h"

#include <functional>

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

TEST(ReproduceRunsTest, EveryPartOfAnExperimentMakesADifference) {
  ReproduceRuns runs({.num_seeds = 1, .seconds = 10});
  const Experiment prefixed = {
      .trace = TraceShape::kSharedPrefix, .rate = 10, .prefix_tokens = 341};
  const auto latency = [&](const std::function<void(Experiment&)>& change) {
    Experiment experiment = prefixed;
    change(experiment);
    return runs.Of(experiment)[0].mean_token_latency_s;
  };
  const double unchanged = latency([](Experiment&) {});
  EXPECT_GT(latency([](Experiment& e) { e.num_sequences = 4; }), unchanged);
  EXPECT_GT(latency([](Experiment& e) { e.uses_prefix_cache = false; }),
            unchanged);
  EXPECT_GT(latency([](Experiment& e) { e.model = "opt-66b"; }), unchanged);
  EXPECT_LT(latency([](Experiment& e) { e.prefix_tokens = 16; }), unchanged);
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
