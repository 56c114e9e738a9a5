#include "kernels/matmul.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/dequantize.h"
#include "kernels/half_floats.h"
#include "tests/kernels/kernel_testing.h"

namespace quire {
namespace {

// Stored weights whose product means the same in their format as in float32:
// numbers that bf16 holds exactly, or groups of 4 bits with scales up to 0.1
// and minima up to 1.
std::vector<std::byte> RandomWeights(TensorType type, int64_t num_elements,
                                     RandomFloats random) {
  if (type == TensorType::kF32) {
    const std::vector<float> values = random.Bf16Vector(num_elements);
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
  }
  std::vector<std::byte> groups(num_elements / 32 * 20);
  for (std::byte& byte : groups)
    byte = static_cast<std::byte>(random.NextBits());
  for (size_t i = 0; i < groups.size(); i += 20) {
    const uint16_t halves[2] = {F16FromFloat(random.Next() * 0.1f),
                                F16FromFloat(random.Next())};
    std::memcpy(&groups[i], halves, sizeof(halves));
  }
  return groups;
}

// What products of kQ4 make of a row: int8 with a scale of 32 inputs.
std::vector<float> QuantizedRow(std::vector<float> row) {
  for (size_t group = 0; group < row.size(); group += 32) {
    float largest = 0;
    for (size_t i = group; i < group + 32; ++i)
      largest = std::max(largest, std::abs(row[i]));
    const float inverse = 127.0f / largest;
    for (size_t i = group; i < group + 32; ++i) {
      row[i] = std::nearbyint(row[i] * inverse) * (largest / 127.0f);
    }
  }
  return row;
}

class Product {
 public:
  Product(InstructionSet instruction_set, MatrixFormat format,
          int64_t num_outputs, int64_t num_inputs)
      : instruction_set_(instruction_set),
        matrix_{format, num_outputs, num_inputs},
        packed_(matrix_.num_bytes()) {
    const TensorType type =
        format == MatrixFormat::kQ4 ? TensorType::kQ4_1 : TensorType::kF32;
    const int64_t size = num_outputs * num_inputs;
    const std::vector<std::byte> stored =
        RandomWeights(type, size, RandomFloats(num_inputs));
    weights_.resize(size);
    Dequantize(type, stored.data(), size, weights_.data());
    matrix_.data = packed_.data();
    const TensorView tensor{
        .type = type, .shape = {num_outputs, num_inputs}, .data = stored};
    const TensorView* parts[] = {&tensor};
    PackStrips(parts, matrix_, 0, matrix_.num_strips());
  }

  // x: [num_rows, num_inputs]; result: [num_rows, num_outputs].
  std::vector<float> Multiply(const std::vector<float>& x, int64_t num_rows,
                              ProductOutput output = {},
                              std::vector<float> y = {}) {
    AlignedBytes data(PreparedRowsBytes(instruction_set_, matrix_.format,
                                        matrix_.num_inputs, num_rows));
    const PreparedRows rows{matrix_.format, matrix_.num_inputs, num_rows,
                            data.data()};
    for (int64_t r = 0; r < num_rows; ++r) {
      PrepareRow(instruction_set_, &x[r * matrix_.num_inputs], 0,
                 matrix_.num_inputs, r, rows);
    }
    y.resize(num_rows * matrix_.num_outputs, NAN);
    output.y = y.data();
    output.stride = matrix_.num_outputs;
    MatMul(instruction_set_, matrix_, rows, 0, num_rows, 0,
           matrix_.num_strips(), output);
    return y;
  }

  // Sum of a row and an output, and the sum of its terms' magnitudes, in double
  // precision. A term of kQ4 is a difference of at most 1.5 and 1 times its
  // input.
  std::pair<double, double> Reference(const float* x, int64_t output) const {
    std::vector<float> row(x, x + matrix_.num_inputs);
    const bool is_q4 = matrix_.format == MatrixFormat::kQ4;
    if (is_q4) row = QuantizedRow(row);
    double sum = 0;
    double magnitude = 0;
    for (int64_t k = 0; k < matrix_.num_inputs; ++k) {
      const double weight = weights_[output * matrix_.num_inputs + k];
      sum += row[k] * weight;
      magnitude += std::abs(row[k] * (is_q4 ? 2.5 : weight));
    }
    return {sum, magnitude};
  }

  const PackedMatrix& matrix() const { return matrix_; }

 private:
  InstructionSet instruction_set_;
  std::vector<float> weights_;  // [num_outputs, num_inputs]
  PackedMatrix matrix_;
  AlignedBytes packed_;
};

using Param = std::tuple<InstructionSet, MatrixFormat>;

class MatMulTest : public testing::TestWithParam<Param> {
 protected:
  Product MakeProduct(int64_t num_outputs, int64_t num_inputs) {
    return Product(instruction_set(), format(), num_outputs, num_inputs);
  }
  // The next number of inputs that the format has.
  int64_t Inputs(int64_t at_least) const {
    return format() == MatrixFormat::kQ4 ? (at_least + 31) / 32 * 32 : at_least;
  }
  InstructionSet instruction_set() const { return std::get<0>(GetParam()); }
  MatrixFormat format() const { return std::get<1>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(
    All, MatMulTest,
    testing::Combine(testing::ValuesIn(SupportedInstructionSets()),
                     testing::Values(MatrixFormat::kF32, MatrixFormat::kBf16,
                                     MatrixFormat::kQ4)),
    [](const testing::TestParamInfo<Param>& info) {
      const MatrixFormat format = std::get<1>(info.param);
      return std::string(InstructionSetName(std::get<0>(info.param))) +
             (format == MatrixFormat::kF32    ? "_f32"
              : format == MatrixFormat::kBf16 ? "_bf16"
                                              : "_q4");
    });

// A sum of n products, each rounded once or twice, is off by at most 2 n half
// units of the sum of magnitudes.
TEST_P(MatMulTest, EqualsDoublePrecisionWithinTheBoundOfItsSum) {
  for (const auto& [num_outputs, min_inputs, num_rows] : {std::tuple{1, 1, 1},
                                                          {31, 33, 2},
                                                          {33, 31, 5},
                                                          {64, 160, 13},
                                                          {70, 100, 29},
                                                          {5, 577, 64}}) {
    const int64_t num_inputs = Inputs(min_inputs);
    Product product = MakeProduct(num_outputs, num_inputs);
    const std::vector<float> x =
        RandomFloats(7).Bf16Vector(num_rows * num_inputs);
    const std::vector<float> y = product.Multiply(x, num_rows);
    for (int i = 0; i < num_rows * num_outputs; ++i) {
      const auto [sum, magnitude] =
          product.Reference(&x[i / num_outputs * num_inputs], i % num_outputs);
      ASSERT_NEAR(y[i], sum, 2 * num_inputs * kFloatEpsilon * magnitude)
          << num_outputs << "x" << num_inputs << " row " << i / num_outputs;
    }
  }
}

TEST_P(MatMulTest, ARowIsTheSameToTheBitAmongAnyNumberOfRows) {
  constexpr int64_t kOutputs = 40, kInputs = 96, kMaxRows = 70;
  Product product = MakeProduct(kOutputs, kInputs);
  const std::vector<float> x = RandomFloats(8).Vector(kMaxRows * kInputs);
  const std::vector<float> all = product.Multiply(x, kMaxRows);
  for (int64_t num_rows = 1; num_rows < kMaxRows; ++num_rows) {
    const std::vector<float> y = product.Multiply(x, num_rows);
    ASSERT_TRUE(SameBits(y, std::span(all).first(y.size())))
        << num_rows << " rows";
  }
}

TEST_P(MatMulTest, RowsBeyondABlockAreTheSameToTheBit) {
  constexpr int64_t kOutputs = 32, kInputs = 3008, kRows = 150;
  Product product = MakeProduct(kOutputs, kInputs);
  const std::vector<float> x = RandomFloats(9).Vector(kRows * kInputs);
  const std::vector<float> all = product.Multiply(x, kRows);
  const std::vector<float> last_row(x.end() - kInputs, x.end());
  const std::vector<float> y = product.Multiply(last_row, 1);
  EXPECT_TRUE(SameBits(y, std::span(all).last(kOutputs)));
}

TEST_P(MatMulTest, BiasAndFormerValuesAreAddedToTheSum) {
  constexpr int64_t kOutputs = 37, kInputs = 64, kRows = 3;
  Product product = MakeProduct(kOutputs, kInputs);
  const std::vector<float> x = RandomFloats(10).Vector(kRows * kInputs);
  const std::vector<float> bias = RandomFloats(11).Vector(kOutputs);
  const std::vector<float> before = RandomFloats(12).Vector(kRows * kOutputs);
  const std::vector<float> sums = product.Multiply(x, kRows);
  const std::vector<float> y =
      product.Multiply(x, kRows, {.bias = bias.data(), .add = true}, before);
  for (size_t i = 0; i < y.size(); ++i) {
    ASSERT_EQ(y[i], sums[i] + bias[i % kOutputs] + before[i]);
  }
}

TEST_P(MatMulTest, OnlyTheStripsAndRowsAskedForAreWritten) {
  constexpr int64_t kOutputs = 100, kInputs = 32, kRows = 6;
  Product product = MakeProduct(kOutputs, kInputs);
  const std::vector<float> x = RandomFloats(13).Vector(kRows * kInputs);
  const std::vector<float> all = product.Multiply(x, kRows);
  AlignedBytes data(
      PreparedRowsBytes(instruction_set(), format(), kInputs, kRows));
  const PreparedRows rows{format(), kInputs, kRows, data.data()};
  for (int r = 0; r < kRows; ++r)
    PrepareRow(instruction_set(), &x[r * kInputs], 0, kInputs, r, rows);
  std::vector<float> y(2 * kOutputs, 7.0f);
  MatMul(instruction_set(), product.matrix(), rows, /*first_row=*/3,
         /*num_rows=*/2,
         /*first_strip=*/1, /*last_strip=*/3,
         {.y = y.data(), .stride = kOutputs});
  for (int i = 0; i < 2 * kOutputs; ++i) {
    const bool asked = i % kOutputs >= 32 && i % kOutputs < 96;
    ASSERT_EQ(y[i], asked ? all[3 * kOutputs + i] : 7.0f) << i;
  }
}

TEST_P(MatMulTest, APreparedRowDoesNotDependOnHowItIsCut) {
  constexpr int64_t kInputs = 150;
  const std::vector<float> x = RandomFloats(14).Vector(kInputs);
  const int64_t size =
      PreparedRowsBytes(instruction_set(), format(), kInputs, 1);
  AlignedBytes whole(size), parts(size);
  const PreparedRows whole_row{format(), kInputs, 1, whole.data()};
  const PreparedRows parts_row{format(), kInputs, 1, parts.data()};
  PrepareRow(instruction_set(), x.data(), 0, kInputs, 0, whole_row);
  PrepareRow(instruction_set(), x.data() + 64, 64, kInputs - 64, 0, parts_row);
  PrepareRow(instruction_set(), x.data(), 0, 64, 0, parts_row);
  EXPECT_EQ(std::memcmp(whole.data(), parts.data(), size), 0);
}

}  // namespace
}  // namespace quire
