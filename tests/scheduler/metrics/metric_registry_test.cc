#include "scheduler/metrics/metric_registry.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MetricRegistryTest, CounterIsExposedWithHelpAndType) {
  MetricRegistry metrics;
  metrics.AddCounter("quire_steps_total", "Steps done.")->Increment(3);
  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("# HELP quire_steps_total Steps done.\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE quire_steps_total counter\n"));
  EXPECT_THAT(text, HasSubstr("\nquire_steps_total 3\n"));
}

TEST(MetricRegistryTest, OneNameHasOneHelpAndAnyNumberOfLabelValues) {
  MetricRegistry metrics;
  metrics.AddGauge("quire_blocks", "Blocks.", {{"state", "free"}})->Set(7);
  metrics.AddGauge("quire_blocks", "Blocks.", {{"state", "active"}})->Set(2);
  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("quire_blocks{state=\"free\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("quire_blocks{state=\"active\"} 2\n"));
  EXPECT_EQ(text.find("# HELP"), text.rfind("# HELP"));
}

TEST(MetricRegistryTest, HistogramCountsBucketsUpwards) {
  MetricRegistry metrics;
  auto* seconds = metrics.AddHistogram("quire_step_seconds", "Time of a step.",
                                       {0.01, 0.1});
  seconds->Observe(0.005);
  seconds->Observe(0.05);
  seconds->Observe(5);
  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("quire_step_seconds_bucket{le=\"0.01\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("quire_step_seconds_bucket{le=\"0.1\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("quire_step_seconds_bucket{le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("quire_step_seconds_count 3\n"));
}

TEST(MetricRegistryTest, CollectorsRunBeforeEachScrape) {
  MetricRegistry metrics;
  auto* scrapes = metrics.AddGauge("quire_scrapes", "Scrapes.");
  metrics.AddCollector([scrapes] { scrapes->Increment(); });
  EXPECT_THAT(metrics.Serialize(), HasSubstr("\nquire_scrapes 1\n"));
  EXPECT_THAT(metrics.Serialize(), HasSubstr("\nquire_scrapes 2\n"));
}

TEST(MetricRegistryTest, CollectorMayAddMetrics) {
  MetricRegistry metrics;
  bool added = false;
  metrics.AddCollector([&] {
    if (!added) metrics.AddGauge("quire_late", "Added late.")->Set(1);
    added = true;
  });
  EXPECT_THAT(metrics.Serialize(), HasSubstr("quire_late 1\n"));
}

TEST(MetricRegistryTest, LabelValuesAreEscaped) {
  MetricRegistry metrics;
  metrics.AddGauge("quire_info", "Info.", {{"model", "a\"b\\c\nd"}});
  EXPECT_THAT(metrics.Serialize(), HasSubstr(R"(model="a\"b\\c\nd")"));
}

TEST(MetricRegistryTest, MetricMovesWithoutTheRegistry) {
  MetricRegistry metrics;
  auto* gauge = metrics.AddGauge("quire_waiting", "Requests.");
  gauge->Set(5);
  gauge->Set(4);
  EXPECT_THAT(metrics.Serialize(), HasSubstr("\nquire_waiting 4\n"));
  EXPECT_THAT(metrics.Serialize(), Not(HasSubstr("quire_waiting 5")));
}

// Naming rules: each of these is a bug of ours.
using MetricRegistryDeathTest = ::testing::Test;

TEST(MetricRegistryDeathTest, NameOutsideTheNamespaceIsABug) {
  MetricRegistry metrics;
  EXPECT_DEATH(metrics.AddGauge("steps", "Steps."), "IsGoodName");
  EXPECT_DEATH(metrics.AddGauge("process_threads", "Threads."), "IsGoodName");
  EXPECT_DEATH(metrics.AddGauge("quire_Steps", "Steps."), "IsGoodName");
  EXPECT_DEATH(metrics.AddGauge("quire_a:b", "Steps."), "IsGoodName");
}

TEST(MetricRegistryDeathTest, OnlyCountersEndInTotal) {
  MetricRegistry metrics;
  EXPECT_DEATH(metrics.AddCounter("quire_steps", "Steps."), "IsGoodName");
  EXPECT_DEATH(metrics.AddGauge("quire_x_total", "X."), "IsGoodName");
  EXPECT_DEATH(metrics.AddGauge("quire_x_count", "X."), "IsGoodName");
}

TEST(MetricRegistryDeathTest, SameNameAndLabelsTwiceIsABug) {
  MetricRegistry metrics;
  metrics.AddGauge("quire_x", "X.", {{"rank", "0"}});
  EXPECT_DEATH(metrics.AddGauge("quire_x", "X.", {{"rank", "0"}}), "taken");
}

TEST(MetricRegistryDeathTest, SameNameWithOtherMeaningIsABug) {
  MetricRegistry metrics;
  metrics.AddGauge("quire_x", "X.", {{"rank", "0"}});
  EXPECT_DEATH(metrics.AddGauge("quire_x", "Y.", {{"rank", "1"}}), "help");
  EXPECT_DEATH(metrics.AddGauge("quire_x", "X.", {{"node", "1"}}), "label");
  EXPECT_DEATH(metrics.AddHistogram("quire_x", "X.", {1}, {{"rank", "1"}}),
               "kind");
}

TEST(MetricRegistryDeathTest, BadLabelNameOrBucketsAreBugs) {
  MetricRegistry metrics;
  EXPECT_DEATH(metrics.AddGauge("quire_x", "X.", {{"le", "1"}}), "LabelName");
  EXPECT_DEATH(metrics.AddGauge("quire_x", "X.", {{"__a", "1"}}), "LabelName");
  EXPECT_DEATH(metrics.AddHistogram("quire_x", "X.", {2, 1}), "buckets");
  EXPECT_DEATH(metrics.AddHistogram("quire_x", "X.", {}), "buckets");
}

}  // namespace
}  // namespace quire
