#include "scheduler/sim/cost_model.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

// Numbers in which each term of a step can be told apart.
constexpr Machine kMachine = {.memory_bytes_per_s = 2000,
                              .memory_efficiency = 0.5,
                              .flops = 4000,
                              .flops_efficiency = 0.25,
                              .step_overhead_s = 1,
                              .layer_overhead_s = 0.5,
                              .link_bytes_per_s = 100,
                              .link_latency_s = 0.25,
                              .host_bytes_per_s = 80};
const ModelShape kShape = {.num_layers = 2,
                           .hidden_size = 10,
                           .kv_size = 5,
                           .query_size = 10,
                           .num_parameters = 1000,
                           .bytes_per_weight = 2,
                           .bytes_per_kv_element = 2};
constexpr double kOverhead = 1 + 2 * 0.5;
constexpr double kWeights = 2000 / 1000.0;

double Seconds(const StepWork& work, const ModelShape& shape = kShape) {
  return absl::ToDoubleSeconds(CostModel(shape, kMachine).StepTime(work));
}

TEST(CostModelTest, AStepReadsTheWeightsOnce) {
  EXPECT_DOUBLE_EQ(Seconds({}), kOverhead + kWeights);
  EXPECT_DOUBLE_EQ(Seconds({.num_rows = 1}), kOverhead + kWeights);
}

TEST(CostModelTest, ManyRowsAreBoundByProducts) {
  EXPECT_DOUBLE_EQ(Seconds({.num_rows = 7}), kOverhead + 2 * 1000 * 7 / 1000.0);
}

TEST(CostModelTest, AttentionReadsKeysOrIsBoundByProducts) {
  EXPECT_EQ(kShape.bytes_per_slot(), 40);
  EXPECT_DOUBLE_EQ(Seconds({.slots_read = 50, .slots_attended = 50}),
                   kOverhead + kWeights + 50 * 40 / 1000.0 * 2);
}

TEST(CostModelTest, CopiesReadAndWriteAndSwapsGoToTheHost) {
  EXPECT_DOUBLE_EQ(Seconds({.slots_copied = 25}),
                   kOverhead + kWeights + 2 * 25 * 40 / 1000.0);
  EXPECT_DOUBLE_EQ(Seconds({.slots_swapped = 4}),
                   kOverhead + kWeights + 4 * 40 / 80.0);
}

TEST(CostModelTest, DevicesShareTheWorkAndMeetTwiceALayer) {
  ModelShape shape = kShape;
  shape.num_devices = 2;
  // A ring over two: each byte of the activations [1, 10] goes once each way.
  const double all_reduce = 0.25 + 2 * 20 / 2 / 100.0;
  EXPECT_DOUBLE_EQ(Seconds({.num_rows = 1}, shape),
                   kOverhead + kWeights / 2 + 4 * all_reduce);
}

TEST(StepWorkTest, ARunReadsItsKeysOnceAndEachRowAttendsToThoseBefore) {
  StepWork work;
  work.AddRun(/*position=*/10, /*num_rows=*/3);
  EXPECT_EQ(work.num_rows, 3);
  EXPECT_EQ(work.slots_read, 13);
  EXPECT_EQ(work.slots_attended, 11 + 12 + 13);
}

}  // namespace
}  // namespace quire
