#include "scheduler/cluster/worker_metrics.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using ::testing::HasSubstr;

TEST(WorkerMetricsTest, EveryRankIsExposedBeforeItAttaches) {
  MetricRegistry metrics;
  WorkerMetrics worker_metrics(&metrics, /*world_size=*/2);
  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("quire_worker_up{rank=\"0\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("quire_worker_up{rank=\"1\"} 0\n"));
}

TEST(WorkerMetricsTest, TimingsAddUpInSeconds) {
  MetricRegistry metrics;
  WorkerMetrics worker_metrics(&metrics, /*world_size=*/2);
  worker::v1::StepTimings timings;
  timings.set_prepare_ns(250'000'000);
  timings.set_execute_ns(1'500'000'000);
  timings.set_sample_ns(125'000'000);
  worker_metrics.AddTimings(Rank(1), timings);
  worker_metrics.AddTimings(Rank(1), timings);
  const std::string text = metrics.Serialize();
  for (const char* line : {"{phase=\"prepare\",rank=\"1\"} 0.5\n",
                           "{phase=\"execute\",rank=\"1\"} 3\n",
                           "{phase=\"sample\",rank=\"1\"} 0.25\n",
                           "{phase=\"execute\",rank=\"0\"} 0\n"}) {
    EXPECT_THAT(
        text, HasSubstr("quire_worker_busy_seconds_total" + std::string(line)));
  }
}

}  // namespace
}  // namespace quire
