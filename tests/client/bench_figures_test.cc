#include "client/bench_figures.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace quire {
namespace {

using absl::Milliseconds;
using absl::Seconds;

// Arrives at 1 s, is sent at 2 s, and has four tokens by 6 s.
BenchRecord Record() {
  return {
      .arrival = Seconds(1),
      .start = Seconds(2),
      .finish = Seconds(6),
      .token_times = {Seconds(3), Seconds(4), Milliseconds(4500), Seconds(6)},
      .prompt_tokens = 10,
      .cached_tokens = 6,
      .output_tokens = 4};
}

TEST(BenchFiguresTest, CountsTokensOverTheWholeRun) {
  const BenchFigures figures =
      ComputeBenchFigures({Record(), Record()}, Seconds(8));
  EXPECT_EQ(figures.requests, 2);
  EXPECT_EQ(figures.wall_s, 8);
  EXPECT_EQ(figures.output_tok_s, 1);
  EXPECT_EQ(figures.total_tok_s, 3.5);
  EXPECT_EQ(figures.cached_tokens, 12);
}

TEST(BenchFiguresTest, LatencyCountsFromArrivalFirstTokenFromSending) {
  const BenchFigures figures = ComputeBenchFigures({Record()}, Seconds(8));
  EXPECT_EQ(figures.normalized_latency_s, 1.25);
  EXPECT_EQ(figures.ttft_ms.p50, 1000);
  EXPECT_EQ(figures.gap_ms.p50, 1000);
  EXPECT_EQ(figures.gap_ms.p99, 1500);
}

TEST(BenchFiguresTest, OfAFailedRequestOnlyTheFailureCounts) {
  BenchRecord failed = Record();
  failed.status = absl::UnavailableError("down");
  const BenchFigures figures =
      ComputeBenchFigures({Record(), failed}, Seconds(8));
  EXPECT_EQ(figures.requests, 1);
  EXPECT_EQ(figures.failed, 1);
  EXPECT_EQ(figures.output_tok_s, 0.5);
}

TEST(BenchFiguresTest, PercentilesPickTheValueAtTheirShare) {
  BenchRecord record = Record();
  record.token_times.clear();
  for (int i = 0; i <= 200; ++i) {
    record.token_times.push_back(Milliseconds(i * (i + 1) / 2));
  }
  const BenchFigures figures = ComputeBenchFigures({record}, Seconds(30));
  EXPECT_EQ(figures.gap_ms.p50, 101);
  EXPECT_EQ(figures.gap_ms.p99, 199);
}

TEST(BenchFiguresTest, ARunWithoutSuccessHasZeros) {
  BenchRecord failed;
  failed.status = absl::UnavailableError("down");
  const BenchFigures figures = ComputeBenchFigures({failed}, Seconds(1));
  EXPECT_EQ(figures.normalized_latency_s, 0);
  EXPECT_EQ(figures.ttft_ms.p99, 0);
}

TEST(BenchFiguresTest, JsonHasEveryFigure) {
  const auto json = nlohmann::json::parse(
      BenchFiguresJson(ComputeBenchFigures({Record()}, Seconds(8))));
  EXPECT_EQ(json, nlohmann::json::parse(R"(
      {"requests": 1, "failed": 0, "wall_s": 8.0, "output_tokens": 4,
       "output_tok_s": 0.5, "total_tok_s": 1.8, "cached_tokens": 6,
       "normalized_latency_s": 1.25, "ttft_ms": [1000.0, 1000.0],
       "gap_ms": [1000.0, 1500.0]})"));
}

}  // namespace
}  // namespace quire
