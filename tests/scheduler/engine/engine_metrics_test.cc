#include "scheduler/engine/engine_metrics.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::HasSubstr;

TEST(EngineMetricsTest, EveryOutcomeIsASeriesOfItsOwn) {
  MetricRegistry registry;
  const EngineMetrics metrics(&registry);
  metrics.Requests(Outcome::kDeadline)->Increment(3);
  const std::string text = registry.Serialize();
  EXPECT_THAT(text, HasSubstr("quire_requests_total{outcome=\"deadline\"} 3"));
  EXPECT_THAT(text, HasSubstr("quire_requests_total{outcome=\"stop\"} 0"));
  EXPECT_THAT(text, HasSubstr("quire_requests_total{outcome=\"error\"} 0"));
}

TEST(EngineMetricsTest, EveryPhaseIsASeriesOfItsOwn) {
  MetricRegistry registry;
  const EngineMetrics metrics(&registry);
  metrics.commit_time->Observe(0.0001);
  const std::string text = registry.Serialize();
  EXPECT_THAT(text,
              HasSubstr("quire_step_phase_seconds_count{phase=\"commit\"} 1"));
  EXPECT_THAT(text,
              HasSubstr("quire_step_phase_seconds_count{phase=\"plan\"} 0"));
}

}  // namespace
}  // namespace quire
