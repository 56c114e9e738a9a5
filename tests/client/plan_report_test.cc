#include "client/plan_report.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace quire {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

CapacityQuestion Question(const std::string& targets) {
  CapacityQuestion question = {
      .load = OfferedLoad::Modelled({.rate = 20}),
      .targets = *ParseLatencyTargets(targets),
  };
  question.replica.shape = *FindModelShape("opt-13b");
  return question;
}

// Of 200 requests, of which some were preempted.
SimulationFigures RunOf(double ttft_p90, uint64_t num_preemptions) {
  SimulationFigures run;
  run.num_requests = 200;
  run.first_token_s.p90 = ttft_p90;
  run.num_preemptions = num_preemptions;
  run.num_swap_preemptions = 1;
  return run;
}

CapacityAnswer Answer() {
  return {.num_replicas = 8,
          .runs = {RunOf(0.5, 6), RunOf(0.75, 2)},
          .sustained_rate = 3};
}

const CapacityAnswer kObstacle = {.obstacle = "ttft_p90 is 2 s",
                                  .runs = {RunOf(2, 0)}};

TEST(PlanReportTest, AFigureIsAMeanOverTheTracesBesideItsTarget) {
  const std::string text = PlanText(Question("ttft_p90=1"), Answer());
  EXPECT_THAT(text, HasSubstr("at most      here   over 2 traces\n"));
  EXPECT_THAT(text, HasSubstr("  ttft_p90                                    1 "
                              "    0.625   0.5 to 0.75\n"));
  EXPECT_THAT(text, HasSubstr("  tbt_p90                                     - "
                              "        0   0 to 0\n"));
}

TEST(PlanReportTest, TheStricterOfTwoTargetsCounts) {
  const auto json = nlohmann::json::parse(
      PlanJson(Question("ttft_p90=3,ttft_p90=1,ttft_p90=2"), Answer()));
  EXPECT_EQ(json["figures"]["ttft_p90"]["at_most"], 1);
  EXPECT_FALSE(json["figures"]["ttft_p50"].contains("at_most"));
}

TEST(PlanReportTest, PreemptionsAreCountedInAThousandRequests) {
  const std::string text = PlanText(Question("ttft_p90=1"), Answer());
  EXPECT_THAT(text, HasSubstr("  preemptions in 1,000 requests               - "
                              "       20   10 to 30\n"));
  EXPECT_THAT(text, HasSubstr("  by swapping, in 1,000 requests              - "
                              "        5   5 to 5\n"));
}

TEST(PlanReportTest, TheVerdictSaysTheShareOfAReplica) {
  EXPECT_THAT(PlanText(Question("ttft_p90=1"), Answer()),
              HasSubstr("8 replicas for 20 requests/s, 2.5/s each; one keeps "
                        "up with 3/s\n"));
  EXPECT_THAT(PlanText(Question("ttft_p90=1"), {.num_replicas = 1,
                                                .runs = {RunOf(0.5, 0)},
                                                .sustained_rate = 20}),
              HasSubstr("1 replica for 20 requests/s, 20/s each;"));
}

TEST(PlanReportTest, ABurstIsSaidToBeOne) {
  CapacityAnswer answer = Answer();
  EXPECT_THAT(PlanText(Question("ttft_p90=1"), answer),
              Not(HasSubstr("too short")));
  answer.is_burst = true;
  EXPECT_THAT(PlanText(Question("ttft_p90=1"), answer),
              HasSubstr("keeps up with 3/s\nBut the trace is too short to tell "
                        "that: its requests, 200, arrive at 3/s\nin less than "
                        "half of the time"));
  EXPECT_EQ(nlohmann::json::parse(
                PlanJson(Question("ttft_p90=1"), answer))["is_burst"],
            true);
}

TEST(PlanReportTest, AnObstacleStandsBeforeTheFiguresOfOneReplica) {
  EXPECT_THAT(PlanText(Question("ttft_p90=1"), kObstacle),
              HasSubstr("targets:\nttft_p90 is 2 s.\n"
                        "One replica that is given one request at a time:\n"
                        "\n"));
  const auto json =
      nlohmann::json::parse(PlanJson(Question("ttft_p90=1"), kObstacle));
  EXPECT_EQ(json["replicas"], 0);
  EXPECT_EQ(json["obstacle"], "ttft_p90 is 2 s");
  EXPECT_EQ(json["figures"]["ttft_p90"]["mean"], 2);
}

TEST(PlanReportTest, WithoutRunsThereIsNoTable) {
  const CapacityAnswer answer = {.obstacle = "nothing fits"};
  const std::string text = PlanText(Question("ttft_p90=1"), answer);
  EXPECT_THAT(text, EndsWith("targets:\nnothing fits.\n"));
  EXPECT_THAT(text, Not(HasSubstr("ttft")));
  EXPECT_FALSE(nlohmann::json::parse(PlanJson(Question("ttft_p90=1"), answer))
                   .contains("figures"));
}

TEST(PlanReportTest, MemoryIsThatOfOneReplica) {
  const auto json =
      nlohmann::json::parse(PlanJson(Question("ttft_p90=1"), Answer()));
  EXPECT_EQ(json["memory"]["blocks"], 983);
  EXPECT_EQ(json["memory"]["slots"], 983 * 16);
  EXPECT_EQ(json["memory"]["longest_request_tokens"], 2048);
}

}  // namespace
}  // namespace quire
