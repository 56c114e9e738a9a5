#include "kernels/packed_matrix.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/half_floats.h"
#include "tests/kernels/kernel_testing.h"

namespace quire {
namespace {

TensorView MatrixOf(const std::vector<float>& values, int64_t num_outputs,
                    int64_t num_inputs) {
  return {.name = "matrix",
          .type = TensorType::kF32,
          .shape = {num_outputs, num_inputs},
          .data = std::as_bytes(std::span(values))};
}

TEST(PackedMatrixTest, StripsAndGroupsAreFilledUp) {
  const PackedMatrix matrix{MatrixFormat::kBf16, /*num_outputs=*/33,
                            /*num_inputs=*/40};
  EXPECT_EQ(matrix.num_strips(), 2);
  EXPECT_EQ(matrix.num_groups(), 2);
  EXPECT_EQ(matrix.num_bytes(), 2 * 32 * 64 * 2);
}

TEST(PackedMatrixTest, FloatsInterleaveTheOutputsOfAStrip) {
  const std::vector<float> values = RandomFloats(1).Vector(40 * 33);
  const TensorView tensor = MatrixOf(values, 40, 33);
  const TensorView* parts[] = {&tensor};
  PackedMatrix matrix{MatrixFormat::kF32, 40, 33};
  AlignedBytes data(matrix.num_bytes(), 0xff);
  matrix.data = data.data();
  PackStrips(parts, matrix, 0, matrix.num_strips());
  const float* strip1 = data.floats() + 64 * 32;
  EXPECT_EQ(data.floats()[5 * 32 + 7], values[7 * 33 + 5]);
  EXPECT_EQ(strip1[5 * 32 + 3], values[35 * 33 + 5]);
  EXPECT_EQ(strip1[5 * 32 + 8], 0) << "an output that does not exist";
  EXPECT_EQ(strip1[33 * 32 + 3], 0) << "an input that does not exist";
}

TEST(PackedMatrixTest, Bf16InterleavesPairsOfInputs) {
  const std::vector<float> values = RandomFloats(2).Vector(32 * 64);
  const TensorView tensor = MatrixOf(values, 32, 64);
  const TensorView* parts[] = {&tensor};
  PackedMatrix matrix{MatrixFormat::kBf16, 32, 64};
  AlignedBytes data(matrix.num_bytes());
  matrix.data = data.data();
  PackStrips(parts, matrix, 0, 1);
  const uint16_t* packed = reinterpret_cast<const uint16_t*>(data.data());
  EXPECT_EQ(packed[(10 * 32 + 9) * 2], Bf16FromFloat(values[9 * 64 + 20]));
  EXPECT_EQ(packed[(10 * 32 + 9) * 2 + 1], Bf16FromFloat(values[9 * 64 + 21]));
}

TEST(PackedMatrixTest, PartsLieOneBelowTheOther) {
  const std::vector<float> upper = RandomFloats(3).Vector(20 * 32);
  const std::vector<float> lower = RandomFloats(4).Vector(12 * 32);
  const TensorView upper_tensor = MatrixOf(upper, 20, 32);
  const TensorView lower_tensor = MatrixOf(lower, 12, 32);
  const TensorView* parts[] = {&upper_tensor, &lower_tensor};
  PackedMatrix matrix{MatrixFormat::kF32, 32, 32};
  AlignedBytes data(matrix.num_bytes());
  matrix.data = data.data();
  PackStrips(parts, matrix, 0, 1);
  EXPECT_EQ(data.floats()[4 * 32 + 19], upper[19 * 32 + 4]);
  EXPECT_EQ(data.floats()[4 * 32 + 20], lower[4]);
  EXPECT_EQ(data.floats()[4 * 32 + 31], lower[11 * 32 + 4]);
}

}  // namespace
}  // namespace quire
