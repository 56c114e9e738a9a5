#include "scheduler/sim/latency_target.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  return std::string(ParseLatencyTargets(text).status().message());
}

TEST(LatencyTargetTest, ATargetIsHeldAgainstItsFigure) {
  const auto targets = *ParseLatencyTargets("ttft_p90=1.5,tbt_p99=0.2");
  ASSERT_EQ(targets.size(), 2);
  EXPECT_EQ(targets[1].figure.name, "tbt_p99");
  SimulationFigures figures;
  figures.first_token_s = {.p50 = 9, .p90 = 1.5, .p99 = 9};
  figures.between_tokens_s = {.p50 = 0, .p90 = 0, .p99 = 0.3};
  EXPECT_TRUE(targets[0].IsMetBy(figures));
  EXPECT_FALSE(targets[1].IsMetBy(figures));
}

TEST(LatencyTargetTest, EveryFigureCanBeATarget) {
  for (const LatencyFigure& figure : LatencyFigures()) {
    const auto targets = ParseLatencyTargets(figure.name + "=2");
    ASSERT_TRUE(targets.ok());
    EXPECT_EQ(targets->front().figure.name, figure.name);
  }
}

TEST(LatencyTargetTest, NamesThePartThatIsWrong) {
  EXPECT_THAT(ErrorOf("ttft_p90=1,ttft_p95=1"),
              HasSubstr("no latency \"ttft_p95\"; there are: ttft_p50"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("no latency \"\""));
  EXPECT_THAT(ErrorOf("tbt_p50"),
              HasSubstr("tbt_p50 is \"\", must be seconds above 0"));
  EXPECT_THAT(ErrorOf("tbt_p50=0"), HasSubstr("tbt_p50 is \"0\""));
  EXPECT_THAT(ErrorOf("tbt_p50=inf"), HasSubstr("tbt_p50 is \"inf\""));
}

}  // namespace
}  // namespace quire
