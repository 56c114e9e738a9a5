#include "kernels/packed_matrix.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "kernels/dequantize.h"
#include "kernels/half_floats.h"
#include "kernels/matrix_format.h"
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
  const std::vector<float> values = RandomFloats(1).Vector(1320);
  const TensorView tensor = MatrixOf(values, 40, 33);
  const TensorView* parts[] = {&tensor};
  PackedMatrix matrix{MatrixFormat::kF32, 40, 33};
  AlignedBytes data(matrix.num_bytes(), 0xff);
  matrix.data = data.data();
  PackStrips(parts, matrix, 0, matrix.num_strips());
  const float* strip1 = data.floats() + 2048;
  EXPECT_EQ(data.floats()[5 * 32 + 7], values[7 * 33 + 5]);
  EXPECT_EQ(strip1[5 * 32 + 3], values[35 * 33 + 5]);
  EXPECT_EQ(strip1[5 * 32 + 8], 0) << "an output that does not exist";
  EXPECT_EQ(strip1[33 * 32 + 3], 0) << "an input that does not exist";
}

TEST(PackedMatrixTest, Bf16InterleavesPairsOfInputs) {
  const std::vector<float> values = RandomFloats(2).Vector(2048);
  const TensorView tensor = MatrixOf(values, 32, 64);
  const TensorView* parts[] = {&tensor};
  PackedMatrix matrix{MatrixFormat::kBf16, 32, 64};
  AlignedBytes data(matrix.num_bytes());
  matrix.data = data.data();
  PackStrips(parts, matrix, 0, 1);
  const uint16_t* packed = reinterpret_cast<const uint16_t*>(data.data());
  EXPECT_EQ(packed[658], Bf16FromFloat(values[9 * 64 + 20]));
  EXPECT_EQ(packed[659], Bf16FromFloat(values[9 * 64 + 21]));
}

TEST(PackedMatrixTest, PartsLieOneBelowTheOther) {
  const std::vector<float> upper = RandomFloats(3).Vector(640);
  const std::vector<float> lower = RandomFloats(4).Vector(384);
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

TEST(PackedMatrixTest, ARangeOfInputsIsPackedAsIfThereWereNoOthers) {
  const std::vector<float> values = RandomFloats(5).Vector(32 * 100);
  const TensorView tensor = MatrixOf(values, 32, 100);
  const TensorView* parts[] = {&tensor};
  PackedMatrix matrix{MatrixFormat::kF32, 32, 37};
  AlignedBytes data(matrix.num_bytes(), 0xff);
  matrix.data = data.data();
  PackStrips(parts, matrix, 0, 1, /*first_input=*/41);
  EXPECT_EQ(data.floats()[7], values[7 * 100 + 41]);
  EXPECT_EQ(data.floats()[36 * 32 + 31], values[31 * 100 + 77]);
  EXPECT_EQ(data.floats()[37 * 32 + 31], 0) << "an input of another range";
}

// Two groups of one row: scales, minima where the type has them, nibbles 0 ..
// 15 of byte 5 i.
std::vector<std::byte> FourBitRow(TensorType type) {
  const int64_t bytes = GetTensorTypeInfo(type).bytes;
  std::vector<std::byte> row(2 * bytes);
  for (int group = 0; group < 2; ++group) {
    std::byte* p = row.data() + group * bytes;
    const uint16_t halves[2] = {F16FromFloat(0.5f + group),
                                F16FromFloat(-3.0f)};
    std::memcpy(p, halves, bytes - 16);
    for (int i = 0; i < 16; ++i)
      p[bytes - 16 + i] = static_cast<std::byte>(5 * i + group);
  }
  return row;
}

class PackedQ4Test : public testing::TestWithParam<TensorType> {};
INSTANTIATE_TEST_SUITE_P(All, PackedQ4Test,
                         testing::Values(TensorType::kQ4_0, TensorType::kQ4_1));

TEST_P(PackedQ4Test, BlocksHoldScalesThenMinimaThenDwordsOfNibbles) {
  const bool has_minima = GetParam() == TensorType::kQ4_1;
  const std::vector<std::byte> row = FourBitRow(GetParam());
  const TensorView tensor{.type = GetParam(), .shape = {1, 64}, .data = row};
  std::vector<const TensorView*> parts(18, &tensor);  // 18 equal outputs.
  PackedMatrix matrix{FastFormatOf(GetParam()), 18, 64};
  AlignedBytes data(matrix.num_bytes(), 0xff);
  matrix.data = data.data();
  PackStrips(parts, matrix, 0, 1);
  // Of outputs 16 .. 31 of the second group.
  const std::byte* header = data.data() + (has_minima ? 640 + 320 : 576 + 32);
  const std::byte* planes = data.data() + (has_minima ? 640 + 384 : 576 + 320);
  uint16_t halves[32];
  std::memcpy(halves, header, 64);
  EXPECT_EQ(FloatFromF16(halves[1]), 1.5f);
  if (has_minima) {
    EXPECT_EQ(FloatFromF16(halves[16 + 1]), -3.0f);
  }
  EXPECT_EQ(halves[2], 0) << "an output that does not exist";
  const std::byte* line = planes + 128;  // Bytes 8 .. 11 of every output.
  EXPECT_EQ(line[4 * 1 + 3], std::byte{5 * 11 + 1});
}

TEST_P(PackedQ4Test, ARangeOfGroupsIsPackedAsIfThereWereNoOthers) {
  const std::vector<std::byte> row = FourBitRow(GetParam());
  const TensorView tensor{.type = GetParam(), .shape = {1, 64}, .data = row};
  const TensorView* parts[] = {&tensor};
  PackedMatrix matrix{FastFormatOf(GetParam()), 1, 32};
  AlignedBytes data(matrix.num_bytes(), 0xff);
  matrix.data = data.data();
  PackStrips(parts, matrix, 0, 1, /*first_input=*/32);
  uint16_t scale;
  std::memcpy(&scale, data.data(), sizeof(scale));
  EXPECT_EQ(FloatFromF16(scale), 1.5f);
  EXPECT_EQ(data.data()[64 + 3], std::byte{5 * 3 + 1}) << "first plane";
}

// Half of a stored group: only what is dequantized can be cut there.
TEST(PackedMatrixTest, ARangeOfFloatsMayBeginWithinAStoredGroup) {
  const std::vector<std::byte> row = FourBitRow(TensorType::kQ4_1);
  const TensorView tensor{
      .type = TensorType::kQ4_1, .shape = {1, 64}, .data = row};
  const TensorView* parts[] = {&tensor};
  PackedMatrix matrix{MatrixFormat::kF32, 1, 32};
  AlignedBytes data(matrix.num_bytes());
  matrix.data = data.data();
  PackStrips(parts, matrix, 0, 1, /*first_input=*/16);
  std::vector<float> expected(64);
  Dequantize(tensor.type, row.data(), 64, expected.data());
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(data.floats()[i * 32], expected[16 + i]) << i;
  }
}

TEST(PackedMatrixTest, HeadersOfHalfALinePrecedeThePlanesOfBothBlocks) {
  std::vector<std::byte> stored(32 * 34);
  const uint16_t scale = F16FromFloat(0.5f);
  std::memcpy(&stored[17 * 34], &scale, sizeof(scale));
  stored[17 * 34 + 2 + 9] = std::byte{0xff};  // Input 9 is -1.
  const TensorView tensor{
      .type = TensorType::kQ8_0, .shape = {32, 32}, .data = stored};
  const TensorView* parts[] = {&tensor};
  PackedMatrix matrix{MatrixFormat::kQ8, 32, 32};
  ASSERT_EQ(matrix.num_bytes(), 64 + 2 * 8 * 64);
  AlignedBytes data(matrix.num_bytes());
  matrix.data = data.data();
  PackStrips(parts, matrix, 0, 1);
  EXPECT_EQ(std::memcmp(data.data() + 32 + 2, &scale, 2), 0);
  const std::byte* line = data.data() + 64 + 8 * 64 + 2 * 64;  // Dword 2.
  EXPECT_EQ(line[4 * 1 + 1], std::byte{127});
  EXPECT_EQ(line[4 * 1 + 2], std::byte{128});
}

// Groups 2, 3 and 4 of a superblock of eight.
TEST(PackedMatrixTest, ARangeMayBeginAndEndWithinASuperblock) {
  const std::vector<float> values = RandomFloats(6).Vector(210 / 2);
  std::vector<std::byte> stored(210);
  std::memcpy(stored.data(), values.data(), 208);
  const uint16_t scale = F16FromFloat(0.25f);
  std::memcpy(&stored[208], &scale, sizeof(scale));
  const TensorView tensor{
      .type = TensorType::kQ6_K, .shape = {1, 256}, .data = stored};
  const TensorView* parts[] = {&tensor};
  PackedMatrix whole{MatrixFormat::kQ6, 1, 256};
  PackedMatrix range{MatrixFormat::kQ6, 1, 96};
  AlignedBytes of_whole(whole.num_bytes());
  AlignedBytes of_range(range.num_bytes());
  whole.data = of_whole.data();
  range.data = of_range.data();
  PackStrips(parts, whole, 0, 1);
  PackStrips(parts, range, 0, 1, /*first_input=*/64);
  const int64_t group_bytes = whole.num_bytes() / 8;
  EXPECT_EQ(std::memcmp(of_range.data(), of_whole.data() + 2 * group_bytes,
                        3 * group_bytes),
            0);
}

TEST(PackedMatrixTest, PlanesHoldTheBitsOfQuantsAndHalvesHaveScales) {
  std::vector<std::byte> stored(210);
  const uint16_t d = F16FromFloat(0.25f);
  std::memcpy(&stored[208], &d, sizeof(d));
  stored[192 + 1] = std::byte{8};   // Scale of inputs 16 .. 31.
  stored[21] = std::byte{0x0d};     // Low nibble of input 21,
  stored[128 + 21] = std::byte{2};  // and its upper bits.
  const TensorView tensor{
      .type = TensorType::kQ6_K, .shape = {1, 256}, .data = stored};
  const TensorView* parts[] = {&tensor};
  PackedMatrix matrix{MatrixFormat::kQ6, 1, 256};
  AlignedBytes data(matrix.num_bytes());
  matrix.data = data.data();
  PackStrips(parts, matrix, 0, 1);
  const uint16_t scale = F16FromFloat(2.0f);
  EXPECT_EQ(std::memcmp(data.data() + 32, &scale, 2), 0);
  const std::byte* planes = data.data() + 64;  // Input 21: dword 5, byte 1.
  EXPECT_EQ(planes[2 * 64 + 1], std::byte{0xd0});
  EXPECT_EQ(planes[4 * 64 + 64 + 1], std::byte{2 << 2});
}

}  // namespace
}  // namespace quire
