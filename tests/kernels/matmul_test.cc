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
#include "kernels/matrix_format.h"
#include "tests/kernels/kernel_testing.h"
#include "tests/kernels/random_weights.h"
#include "tests/kernels/tensor_type_names.h"

namespace quire {
namespace {

// Byte formats are multiplied in tiles as bf16, and else as bytes.
bool MultipliesAsBytes(InstructionSet instruction_set, MatrixFormat format) {
  return IsByteFormat(format) && instruction_set != InstructionSet::kAmx;
}

// Where rows become bf16. Scalar and AVX2 widen weights of kBf16 instead.
bool RoundsRowsToBf16(InstructionSet instruction_set, MatrixFormat format) {
  return (instruction_set == InstructionSet::kAmx && IsByteFormat(format)) ||
         (instruction_set >= InstructionSet::kAvx512 &&
          format == MatrixFormat::kBf16);
}

std::vector<float> Bf16Row(std::vector<float> row) {
  for (float& number : row) number = FloatFromBf16(Bf16FromFloat(number));
  return row;
}

// The largest magnitude of each group of 32 inputs.
std::vector<float> LargestOfGroups(const std::vector<float>& row) {
  std::vector<float> largest((row.size() + 31) / 32);
  for (size_t i = 0; i < row.size(); ++i) {
    largest[i / 32] = std::max(largest[i / 32], std::abs(row[i]));
  }
  return largest;
}

// What products of bytes make of a row: int8 with a scale of 32 inputs, in
// groups whose largest magnitude is below `fine`.
std::vector<float> QuantizedRow(std::vector<float> row, float fine = INFINITY) {
  const std::vector<float> largest = LargestOfGroups(row);
  for (size_t i = 0; i < row.size(); ++i) {
    if (largest[i / 32] >= fine) continue;
    const float inverse = 127.0f / largest[i / 32];
    row[i] = std::nearbyint(row[i] * inverse) * (largest[i / 32] / 127.0f);
  }
  return row;
}

// The largest magnitude from which on groups of a fine row have both levels:
// twice the largest of all, or this times a power of the square root of a half:
// the first below which squares sum to six times the row's mean square for each
// group at most.
float LeastFine(const std::vector<float>& row) {
  const std::vector<float> largest = LargestOfGroups(row);
  float most = 0;
  for (const float x : row) most += x * x * (6.0f / 32);
  const auto sum_below = [&](float square) {
    float sum = 0;
    for (const float x : largest) sum += x * x < square ? x * x : 0;
    return sum;
  };
  float square = *std::ranges::max_element(largest);
  square *= 2 * square;
  while (sum_below(square) > most) square /= 2;
  return std::sqrt(square * (1 - kFloatEpsilon));
}

// Numbers of up to 1, few of them large, in some groups of up to a quarter or a
// sixteenth, others in each row: so that of fine rows some groups have one
// level and some two.
std::vector<float> UnevenRows(int seed, int64_t num_rows, int64_t num_inputs) {
  std::vector<float> x = RandomFloats(seed).Vector(num_rows * num_inputs);
  for (int64_t i = 0; i < num_rows * num_inputs; ++i) {
    const int64_t row = i / num_inputs, group = i % num_inputs / 32;
    x[i] = std::pow(x[i], 7.0f) *
           std::pow(0.25f, static_cast<float>((row + group) % 3));
  }
  return x;
}

// A stored type and the format that it is multiplied in. Packing rounds no
// number of these, but scales of the K types.
struct Weights {
  TensorType type;
  MatrixFormat format;
  bool fine = false;  // Rows are prepared so.
};

std::vector<Weights> QuantizedWeights() {
  std::vector<Weights> quantized;
  for (TensorType type : kAllTensorTypes) {
    const MatrixFormat format = FastFormatOf(type);
    if (!IsByteFormat(format)) continue;
    quantized.push_back({type, format});
    quantized.push_back({type, format, /*fine=*/true});
  }
  return quantized;
}

std::vector<Weights> AllWeights() {
  std::vector<Weights> all = QuantizedWeights();
  all.push_back({TensorType::kF32, MatrixFormat::kF32});
  all.push_back({TensorType::kBF16, MatrixFormat::kBf16});
  return all;
}

std::vector<Weights> WeightsOfPlainRows() {
  std::vector<Weights> plain = AllWeights();
  std::erase_if(plain, [](const Weights& weights) { return weights.fine; });
  return plain;
}

// Products of random weights up to 1; of byte formats they are differences of
// up to 2 and 1.
class Product {
 public:
  Product(InstructionSet instruction_set, const Weights& weights,
          int64_t num_outputs, int64_t num_inputs,
          const std::vector<std::byte>& stored)
      : instruction_set_(instruction_set),
        is_fine_(weights.fine),
        matrix_{weights.format, num_outputs, num_inputs},
        packed_(matrix_.num_bytes()) {
    const int64_t size = num_outputs * num_inputs;
    const TensorType type = weights.type;
    weights_.resize(size);
    Dequantize(type, stored.data(), size, weights_.data());
    has_rounded_scales_ = GetTensorTypeInfo(type).elements == 256;
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
                                        matrix_.num_inputs, num_rows,
                                        is_fine_));
    const PreparedRows rows{matrix_.format, matrix_.num_inputs, num_rows,
                            data.data(), is_fine_};
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

  // Sum of a row and an output in double precision, and how far from it a sum
  // may be: n products, each rounded once or twice, are off by at most 2 n half
  // units of the sum of magnitudes, and by what their weights are off. Fine
  // rows of bytes are off by half of the 128th part of the 127th part of 1, and
  // weights are below 3.
  std::pair<double, double> Reference(const float* x, int64_t output) const {
    const auto n = static_cast<double>(matrix_.num_inputs);
    std::vector<float> row(x, x + matrix_.num_inputs);
    const bool is_byte_format = IsByteFormat(matrix_.format);
    const bool has_bytes = MultipliesAsBytes(instruction_set_, matrix_.format);
    if (has_bytes) {
      row = is_fine_ ? QuantizedRow(row, LeastFine(row)) : QuantizedRow(row);
    }
    if (RoundsRowsToBf16(instruction_set_, matrix_.format)) row = Bf16Row(row);
    double sum = 0;
    double bound = has_bytes && is_fine_ ? n * 3 * 0.5 / (127 * 128) : 0;
    for (int64_t k = 0; k < matrix_.num_inputs; ++k) {
      const double weight = weights_[output * matrix_.num_inputs + k];
      const double magnitude = is_byte_format ? 3 : std::abs(weight);
      sum += row[k] * weight;
      bound += std::abs(row[k]) *
               (magnitude * 2 * n * kFloatEpsilon + WeightRounding(weight));
    }
    return {sum, bound};
  }

  const PackedMatrix& matrix() const { return matrix_; }

 private:
  // Scales of K types are rounded when they are packed. Tiles round a weight to
  // half precision and then to bf16, and take small ones for zeros.
  double WeightRounding(double weight) const {
    double rounding = has_rounded_scales_ ? 3 * 0x1p-11 : 0;
    if (IsByteFormat(matrix_.format) &&
        !MultipliesAsBytes(instruction_set_, matrix_.format)) {
      rounding +=
          std::max(0x1p-18, std::abs(weight) * (0x1p-9 + 0x1p-11) * 1.01);
    }
    return rounding;
  }

  InstructionSet instruction_set_;
  bool is_fine_;
  std::vector<float> weights_;  // [num_outputs, num_inputs]
  bool has_rounded_scales_;
  PackedMatrix matrix_;
  AlignedBytes packed_;
};

using Param = std::tuple<InstructionSet, Weights>;

class MatMulTest : public testing::TestWithParam<Param> {
 protected:
  Product MakeProduct(int64_t num_outputs, int64_t num_inputs) {
    RandomFloats random(num_inputs);
    return Product(
        instruction_set(), weights(), num_outputs, num_inputs,
        RandomWeights(weights().type, num_outputs * num_inputs, 1.0f, random));
  }
  // The next number of inputs that the type has.
  int64_t Inputs(int64_t at_least) const {
    const int64_t group = GetTensorTypeInfo(weights().type).elements;
    return (at_least + group - 1) / group * group;
  }
  InstructionSet instruction_set() const { return std::get<0>(GetParam()); }
  const Weights& weights() const { return std::get<1>(GetParam()); }
  MatrixFormat format() const { return weights().format; }
  // Memory for rows, and the rows.
  int64_t RowsBytes(int64_t num_inputs, int64_t num_rows) const {
    return PreparedRowsBytes(instruction_set(), format(), num_inputs, num_rows,
                             weights().fine);
  }
  PreparedRows Rows(AlignedBytes& data, int64_t num_inputs,
                    int64_t num_rows) const {
    return {format(), num_inputs, num_rows, data.data(), weights().fine};
  }
};

std::string NameOf(const testing::TestParamInfo<Param>& info) {
  return std::string(InstructionSetName(std::get<0>(info.param))) + "_" +
         std::string(GetTensorTypeInfo(std::get<1>(info.param).type).name) +
         (std::get<1>(info.param).fine ? "_fine" : "");
}

INSTANTIATE_TEST_SUITE_P(
    All, MatMulTest,
    testing::Combine(testing::ValuesIn(SupportedInstructionSets()),
                     testing::ValuesIn(AllWeights())),
    NameOf);

class ByteMatMulTest : public MatMulTest {};
INSTANTIATE_TEST_SUITE_P(
    All, ByteMatMulTest,
    testing::Combine(testing::ValuesIn(SupportedInstructionSets()),
                     testing::ValuesIn(QuantizedWeights())),
    NameOf);

TEST_P(MatMulTest, EqualsDoublePrecisionWithinTheBoundOfItsSum) {
  for (const auto& [num_outputs, min_inputs, num_rows] : {std::tuple{1, 1, 1},
                                                          {31, 33, 2},
                                                          {33, 31, 5},
                                                          {64, 160, 13},
                                                          {70, 100, 29},
                                                          {5, 577, 64}}) {
    const int64_t num_inputs = Inputs(min_inputs);
    Product product = MakeProduct(num_outputs, num_inputs);
    const std::vector<float> x = UnevenRows(7, num_rows, num_inputs);
    const std::vector<float> y = product.Multiply(x, num_rows);
    for (int i = 0; i < num_rows * num_outputs; ++i) {
      const auto [sum, bound] =
          product.Reference(&x[i / num_outputs * num_inputs], i % num_outputs);
      ASSERT_NEAR(y[i], sum, bound)
          << num_outputs << "x" << num_inputs << " row " << i / num_outputs;
    }
  }
}

// Their squares have no place in float32.
TEST_P(MatMulTest, HugeNumbersAreMultipliedAndWhatIsNoNumberHarmsNoOtherRow) {
  constexpr int kOutputs = 5;
  const int64_t num_inputs = Inputs(96);
  Product product = MakeProduct(kOutputs, num_inputs);
  std::vector<float> x = UnevenRows(11, 3, num_inputs);
  for (int64_t k = 0; k < num_inputs; ++k) x[num_inputs + k] *= 0x1p64f;
  x[2 * num_inputs + 3] = INFINITY;
  x[2 * num_inputs + 40] = NAN;
  const std::vector<float> y = product.Multiply(x, 3);
  const std::vector<float> alone =
      product.Multiply(std::vector(x.begin(), x.begin() + 2 * num_inputs), 2);
  EXPECT_TRUE(std::ranges::equal(std::span(y).first(2 * kOutputs), alone));
  for (int i = kOutputs; i < 2 * kOutputs; ++i) {
    EXPECT_TRUE(std::isfinite(y[i])) << y[i];
  }
}

TEST_P(ByteMatMulTest, LargestQuantsAndInputsDoNotOverflow) {
  constexpr int64_t kOutputs = 32;
  const int64_t num_inputs = Inputs(32);
  std::vector<float> x(num_inputs, 1.0f);
  x.insert(x.end(), num_inputs, -1.0f);
  for (const int fill : {0x00, 0x7f, 0x80, 0xff}) {
    Product product(instruction_set(), weights(), kOutputs, num_inputs,
                    UniformWeights(weights().type, kOutputs * num_inputs,
                                   static_cast<std::byte>(fill)));
    const std::vector<float> y = product.Multiply(x, 2);
    for (int row = 0; row < 2; ++row) {
      const auto [sum, bound] = product.Reference(&x[row * num_inputs], 0);
      ASSERT_NEAR(y[row * kOutputs], sum, bound) << fill;
    }
  }
}

TEST_P(MatMulTest, ARowIsTheSameToTheBitAmongAnyNumberOfRows) {
  constexpr int64_t kOutputs = 40, kMaxRows = 70;
  const int64_t num_inputs = Inputs(96);
  Product product = MakeProduct(kOutputs, num_inputs);
  const std::vector<float> x = UnevenRows(8, kMaxRows, num_inputs);
  const std::vector<float> all = product.Multiply(x, kMaxRows);
  for (int64_t num_rows = 1; num_rows < kMaxRows; ++num_rows) {
    const std::vector<float> y = product.Multiply(x, num_rows);
    ASSERT_TRUE(SameBits(y, std::span(all).first(y.size())))
        << num_rows << " rows";
  }
}

TEST_P(MatMulTest, ARowTimesAPowerOf2GivesTheSumsTimesIt) {
  constexpr int64_t kOutputs = 40;
  const int64_t num_inputs = Inputs(96);
  Product product = MakeProduct(kOutputs, num_inputs);
  const std::vector<float> x = RandomFloats(8).Vector(num_inputs);
  const std::vector<float> sums = product.Multiply(x, 1);
  for (const float factor : {0x1p-40f, 0x1p18f}) {
    std::vector<float> scaled = x;
    for (float& number : scaled) number *= factor;
    std::vector<float> expected = sums;
    for (float& sum : expected) sum *= factor;
    EXPECT_TRUE(SameBits(product.Multiply(scaled, 1), expected)) << factor;
  }
}

// Rows are cut into blocks that fit the second-level cache.
TEST_P(MatMulTest, RowsBeyondABlockAreTheSameToTheBit) {
  constexpr int64_t kOutputs = 32, kRows = 1100;
  const int64_t num_inputs = Inputs(1008);
  Product product = MakeProduct(kOutputs, num_inputs);
  const std::vector<float> x = RandomFloats(9).Vector(kRows * num_inputs);
  const std::vector<float> all = product.Multiply(x, kRows);
  for (int64_t row : {0, 255, 511, 512, 1023, 1099}) {
    const auto begin = x.begin() + row * num_inputs;
    const std::vector<float> y =
        product.Multiply({begin, begin + num_inputs}, 1);
    EXPECT_TRUE(SameBits(y, std::span(all).subspan(row * kOutputs, kOutputs)));
  }
}

TEST_P(MatMulTest, BiasAndFormerValuesAreAddedToTheSum) {
  constexpr int64_t kOutputs = 37, kRows = 3;
  const int64_t num_inputs = Inputs(64);
  Product product = MakeProduct(kOutputs, num_inputs);
  const std::vector<float> x = RandomFloats(10).Vector(kRows * num_inputs);
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
  constexpr int64_t kOutputs = 100, kRows = 6;
  const int64_t num_inputs = Inputs(32);
  Product product = MakeProduct(kOutputs, num_inputs);
  const std::vector<float> x = RandomFloats(13).Vector(kRows * num_inputs);
  const std::vector<float> all = product.Multiply(x, kRows);
  AlignedBytes data(RowsBytes(num_inputs, kRows));
  const PreparedRows rows = Rows(data, num_inputs, kRows);
  for (int r = 0; r < kRows; ++r)
    PrepareRow(instruction_set(), &x[r * num_inputs], 0, num_inputs, r, rows);
  std::vector<float> y(2 * kOutputs, 7.0f);
  MatMul(instruction_set(), product.matrix(), rows, /*first_row=*/3,
         /*num_rows=*/2,
         /*first_strip=*/1, /*last_strip=*/3,
         {.y = y.data() + 32, .stride = kOutputs});
  for (int i = 0; i < 2 * kOutputs; ++i) {
    const bool asked = i % kOutputs >= 32 && i % kOutputs < 96;
    ASSERT_EQ(y[i], asked ? all[3 * kOutputs + i] : 7.0f) << i;
  }
}

// Fine rows are one part.
class RowPartsTest : public MatMulTest {};
INSTANTIATE_TEST_SUITE_P(
    All, RowPartsTest,
    testing::Combine(testing::ValuesIn(SupportedInstructionSets()),
                     testing::ValuesIn(WeightsOfPlainRows())),
    NameOf);

TEST_P(RowPartsTest, APreparedRowDoesNotDependOnHowItIsCut) {
  constexpr int64_t kInputs = 150;
  const std::vector<float> x = RandomFloats(14).Vector(kInputs);
  const int64_t size = RowsBytes(kInputs, 1);
  AlignedBytes whole(size), parts(size);
  const PreparedRows whole_row = Rows(whole, kInputs, 1);
  const PreparedRows parts_row = Rows(parts, kInputs, 1);
  PrepareRow(instruction_set(), x.data(), 0, kInputs, 0, whole_row);
  PrepareRow(instruction_set(), x.data() + 64, 64, kInputs - 64, 0, parts_row);
  PrepareRow(instruction_set(), x.data(), 0, 64, 0, parts_row);
  EXPECT_EQ(std::memcmp(whole.data(), parts.data(), size), 0);
}

}  // namespace
}  // namespace quire
