#include "scheduler/sim/simulation_run.h"

#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::HasSubstr;

RunOptions OptionsFor(ServingPolicy policy) {
  RunOptions options;
  options.policy = policy;
  options.shape = *FindModelShape("opt-13b");
  options.machine = *ParseMachine(KnownMachines(), options.shape.machine);
  options.engine = EngineForTraces(/*max_step_tokens=*/2048);
  options.engine.check_consistency_every_step = true;
  return options;
}

SimulationFigures RunPolicy(ServingPolicy policy) {
  const Trace trace = MakeTrace({.rate = 4, .num_requests = 60, .seed = 1});
  return RunSimulation(trace, OptionsFor(policy));
}

TEST(SimulationRunTest, PagedMemoryServesMoreAtOnceThanReserved) {
  const SimulationFigures paged = RunPolicy(ServingPolicy::kPaged);
  const SimulationFigures oracle = RunPolicy(ServingPolicy::kOrcaOracle);
  const SimulationFigures pow2 = RunPolicy(ServingPolicy::kOrcaPow2);
  const SimulationFigures max = RunPolicy(ServingPolicy::kOrcaMax);
  EXPECT_GT(paged.occupancy.num_running, oracle.occupancy.num_running);
  EXPECT_GT(oracle.occupancy.num_running, pow2.occupancy.num_running);
  EXPECT_GT(pow2.occupancy.num_running, max.occupancy.num_running);
  EXPECT_LT(paged.mean_token_latency_s, oracle.mean_token_latency_s);
  EXPECT_LT(max.mean_token_latency_s,
            RunPolicy(ServingPolicy::kStatic).mean_token_latency_s);
}

TEST(SimulationRunTest, TheSameRunGivesTheSameFigures) {
  const SimulationFigures a = RunPolicy(ServingPolicy::kPaged);
  const SimulationFigures b = RunPolicy(ServingPolicy::kPaged);
  EXPECT_EQ(a.mean_token_latency_s, b.mean_token_latency_s);
  EXPECT_EQ(a.occupancy.tokens, b.occupancy.tokens);
  EXPECT_EQ(a.num_steps, b.num_steps);
}

TEST(SimulationRunTest, FiguresAreOfOneAnother) {
  const Trace trace = {{.arrival = absl::ZeroDuration(),
                        .prompt_tokens = 10,
                        .output_tokens = 5}};
  const SimulationFigures figures =
      RunSimulation(trace, OptionsFor(ServingPolicy::kPaged));
  EXPECT_EQ(figures.num_requests, 1);
  EXPECT_EQ(figures.num_refused, 0);
  EXPECT_EQ(figures.num_steps, 5);
  EXPECT_DOUBLE_EQ(figures.rows_per_step, (10 + 4) / 5.0);
  EXPECT_DOUBLE_EQ(figures.mean_token_latency_s, figures.duration_s / 5);
  EXPECT_DOUBLE_EQ(figures.token_latency_s.p90, figures.duration_s / 5);
  EXPECT_DOUBLE_EQ(figures.first_token_s.p90 + 4 * figures.between_tokens_s.p90,
                   figures.duration_s);
  EXPECT_EQ(figures.occupancy.most_running, 1);
  EXPECT_DOUBLE_EQ(figures.output_tokens_per_s, 5 / figures.duration_s);
  EXPECT_GT(figures.plan_bytes.p50, 0);
}

TEST(SimulationRunTest, RefusedRequestsCountForNothingElse) {
  const Trace trace = {{.prompt_tokens = 20'000, .output_tokens = 5}};
  const SimulationFigures figures =
      RunSimulation(trace, OptionsFor(ServingPolicy::kPaged));
  EXPECT_EQ(figures.num_refused, 1);
  EXPECT_EQ(figures.output_tokens_per_s, 0);
}

// A thousand sequences at once, a step each, on this machine.
TEST(SimulationRunTest, ManySequencesRunAtOnce) {
  RunOptions options = OptionsFor(ServingPolicy::kPaged);
  options.shape.num_slots = 1 << 20;
  options.simulation.concurrency = 1000;
  options.engine.check_consistency_every_step = false;
  const Trace trace(1000, {.prompt_tokens = 2, .output_tokens = 30});
  const SimulationFigures figures = RunSimulation(trace, options);
  EXPECT_NEAR(figures.rows_per_step, 1000, 50);
}

TEST(SimulationRunTest, NoStepMayTakeForEver) {
  for (double Machine::*slow : {&Machine::memory_bytes_per_s, &Machine::flops,
                                &Machine::host_bytes_per_s}) {
    RunOptions options = OptionsFor(ServingPolicy::kPaged);
    EXPECT_TRUE(options.Validate().ok());
    options.machine.*slow = 1e-300;
    EXPECT_THAT(std::string(options.Validate().message()),
                HasSubstr("a step of one row takes inf, must be at most"));
  }
}

TEST(SimulationRunTest, NamesTheOptionThatIsWrong) {
  RunOptions options = OptionsFor(ServingPolicy::kPaged);
  options.shape.num_slots = 0;
  EXPECT_THAT(std::string(options.Validate().message()),
              HasSubstr("num_slots is 0"));
  // As many blocks as no 32 bits count.
  options.block_size = 1;
  options.shape.num_slots = uint64_t{1} << 32;
  EXPECT_THAT(std::string(options.Validate().message()),
              HasSubstr("num_slots is 4294967296, must be 1 to 16777216"));
  // As many bytes as no 64 bits count.
  options.shape.num_layers = 65536;
  options.shape.kv_size = (uint64_t{1} << 31) - 2;
  options.shape.num_slots = uint64_t{1} << 24;
  EXPECT_THAT(std::string(options.Validate().message()),
              HasSubstr("num_slots is 16777216, must be 1 to 2048"));
  options = OptionsFor(ServingPolicy::kPaged);
  options.num_host_blocks = UINT32_MAX;
  EXPECT_THAT(std::string(options.Validate().message()),
              HasSubstr("host_blocks is 4294967295, must be 0 to 16777216"));
  options = OptionsFor(ServingPolicy::kPaged);
  options.block_size = 0;
  EXPECT_THAT(std::string(options.Validate().message()),
              HasSubstr("block_size is 0"));
}

TEST(SimulationRunTest, PoliciesHaveNames) {
  ServingPolicy policy = ServingPolicy::kPaged;
  std::string error;
  EXPECT_TRUE(AbslParseFlag("orca_pow2", &policy, &error));
  EXPECT_EQ(policy, ServingPolicy::kOrcaPow2);
  EXPECT_EQ(AbslUnparseFlag(policy), "orca_pow2");
  EXPECT_FALSE(AbslParseFlag("orca", &policy, &error));
  EXPECT_EQ(policy, ServingPolicy::kOrcaPow2);
}

}  // namespace
}  // namespace quire
