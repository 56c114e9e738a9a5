#include "scheduler/sim/capacity_plan.h"

#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scheduler/sim/machine.h"

namespace quire {
namespace {

using testing::HasSubstr;

RunOptions Replica() {
  RunOptions options;
  options.shape = *FindModelShape("opt-13b");
  options.machine = *ParseMachine(KnownMachines(), options.shape.machine);
  options.engine = EngineForTraces(/*max_step_tokens=*/2048);
  return options;
}

CapacityQuestion Question(double rate, const std::string& targets) {
  return {.replica = Replica(),
          .load = OfferedLoad::Modelled(
              {.rate = rate, .num_requests = 60, .mean_output = 60}),
          .targets = *ParseLatencyTargets(targets),
          .num_seeds = 2};
}

bool MeetsTargets(const CapacityQuestion& question, double rate) {
  for (uint64_t seed = 1; seed <= question.num_seeds; ++seed) {
    const SimulationFigures run =
        RunSimulation(question.load.At(rate, seed), question.replica);
    for (const LatencyTarget& target : question.targets) {
      if (!target.IsMetBy(run)) return false;
    }
  }
  return true;
}

TEST(CapacityPlanTest, OneReplicaFewerDoesNotSuffice) {
  const CapacityQuestion question = Question(90, "tbt_p90=0.025");
  const CapacityAnswer answer = PlanCapacity(question);
  ASSERT_GT(answer.num_replicas, 2);
  EXPECT_TRUE(MeetsTargets(question, 90.0 / answer.num_replicas));
  EXPECT_FALSE(MeetsTargets(question, 90.0 / (answer.num_replicas - 1)));
  EXPECT_EQ(answer.runs.size(), 2);
}

TEST(CapacityPlanTest, TheSustainedRateIsBetweenMeetingAndMissing) {
  for (const double rate : {1.0, 90.0}) {
    const CapacityQuestion question = Question(rate, "tbt_p90=0.025");
    const CapacityAnswer answer = PlanCapacity(question);
    EXPECT_GE(answer.sustained_rate, rate / answer.num_replicas);
    EXPECT_TRUE(MeetsTargets(question, answer.sustained_rate));
    EXPECT_FALSE(MeetsTargets(question, 1.06 * answer.sustained_rate));
  }
}

TEST(CapacityPlanTest, TheSameQuestionHasTheSameAnswer) {
  const CapacityAnswer one = PlanCapacity(Question(8, "tbt_p90=0.03"));
  const CapacityAnswer other = PlanCapacity(Question(8, "tbt_p90=0.03"));
  EXPECT_EQ(one.num_replicas, other.num_replicas);
  EXPECT_EQ(one.sustained_rate, other.sustained_rate);
  EXPECT_EQ(one.runs[0].duration_s, other.runs[0].duration_s);
}

TEST(CapacityPlanTest, ATargetThatOneRequestMissesIsNamed) {
  const CapacityAnswer answer = PlanCapacity(Question(8, "tbt_p50=0.001"));
  EXPECT_EQ(answer.num_replicas, 0);
  EXPECT_THAT(answer.obstacle, HasSubstr("tbt_p50 is 0.02"));
  EXPECT_THAT(answer.obstacle, HasSubstr("one by one, above 0.001 s"));
  ASSERT_EQ(answer.runs.size(), 1);
  EXPECT_LE(answer.runs[0].occupancy.most_running, 1);
}

TEST(CapacityPlanTest, RequestsThatNeverFitAreNamed) {
  CapacityQuestion question = Question(8, "tbt_p50=1");
  question.replica.shape.num_slots = 160;
  const CapacityAnswer answer = PlanCapacity(question);
  EXPECT_EQ(answer.num_replicas, 0);
  EXPECT_THAT(answer.obstacle, HasSubstr("requests never fit its 160 slots"));
  EXPECT_TRUE(answer.runs.empty());
}

TEST(CapacityPlanTest, ATraceThatIsTooShortToTellIsABurst) {
  CapacityQuestion question = Question(1, "ttft_p90=0.2,tbt_p90=0.025");
  EXPECT_FALSE(PlanCapacity(question).is_burst);
  Trace trace = question.load.AsItIs(/*seed=*/1);
  // When it begins makes no difference.
  for (TraceRequest& request : trace) request.arrival += absl::Hours(1);
  question.load = OfferedLoad::Recorded(trace);
  EXPECT_FALSE(PlanCapacity(question).is_burst);
  trace.resize(2);
  question.load = OfferedLoad::Recorded(trace);
  EXPECT_TRUE(PlanCapacity(question).is_burst);
}

TEST(CapacityPlanTest, ARecordedLoadIsTriedOnce) {
  CapacityQuestion question = Question(8, "ttft_p90=0.5");
  question.load = OfferedLoad::Recorded(question.load.AsItIs(/*seed=*/1));
  EXPECT_EQ(PlanCapacity(question).runs.size(), 1);
}

}  // namespace
}  // namespace quire
