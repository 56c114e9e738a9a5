#include "kernels/dequantize.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/half_floats.h"
#include "tests/kernels/tensor_type_names.h"

namespace quire {
namespace {

// One type's part of the reference file; see dequantize_reference.py.
struct Reference {
  TensorType type;
  std::string groups;
  std::vector<float> values;
};

class ReferenceReader {
 public:
  explicit ReferenceReader(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    data_.assign(std::istreambuf_iterator<char>(file), {});
  }
  bool AtEnd() const { return offset_ >= data_.size(); }
  Reference Next() {
    Reference reference;
    reference.type = *TensorTypeByName(Take(8).c_str());
    Take(4);
    const uint32_t num_bytes = TakeCount();
    const uint32_t num_elements = TakeCount();
    reference.groups = Take(num_bytes);
    reference.values.resize(num_elements);
    std::memcpy(reference.values.data(), Take(size_t{num_elements} * 4).data(),
                size_t{num_elements} * 4);
    return reference;
  }

 private:
  std::string Take(size_t size) {
    offset_ += size;
    return data_.substr(offset_ - size, size);
  }
  uint32_t TakeCount() {
    uint32_t count;
    std::memcpy(&count, Take(4).data(), 4);
    return count;
  }
  std::string data_;
  size_t offset_ = 0;
};

TEST(DequantizeTest, EqualsTheReferenceLibraryToTheBit) {
  ReferenceReader reader("tests/kernels/testdata/dequantize_reference.bin");
  int num_types = 0;
  for (; !reader.AtEnd(); ++num_types) {
    const Reference reference = reader.Next();
    std::vector<float> values(reference.values.size());
    Dequantize(reference.type,
               reinterpret_cast<const std::byte*>(reference.groups.data()),
               values.size(), values.data());
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(std::bit_cast<uint32_t>(values[i]),
                std::bit_cast<uint32_t>(reference.values[i]))
          << GetTensorTypeInfo(reference.type).name << " element " << i;
    }
  }
  EXPECT_EQ(num_types, 11);  // All but F32 and F16.
}

TEST(DequantizeTest, FloatsAreCopied) {
  const float source[3] = {1.5f, -0.0f, 1e-40f};
  float values[3];
  Dequantize(TensorType::kF32, reinterpret_cast<const std::byte*>(source), 3,
             values);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(std::bit_cast<uint32_t>(values[i]),
              std::bit_cast<uint32_t>(source[i]));
  }
}

// The value of a half by its definition.
double ValueOfF16(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(DequantizeTest, EveryFiniteHalfIsExact) {
  for (int bits = 0; bits < 65536; ++bits) {
    if (((bits >> 10) & 31) == 31) continue;
    const uint16_t half = static_cast<uint16_t>(bits);
    float value;
    Dequantize(TensorType::kF16, reinterpret_cast<const std::byte*>(&half), 1,
               &value);
    ASSERT_EQ(value, ValueOfF16(half));
    ASSERT_EQ(std::signbit(value), bits >> 15 == 1);
  }
}

TEST(HalfFloatsTest, InfiniteAndNanHalvesStaySo) {
  EXPECT_EQ(FloatFromF16(0x7c00), INFINITY);
  EXPECT_EQ(FloatFromF16(0xfc00), -INFINITY);
  EXPECT_TRUE(std::isnan(FloatFromF16(0x7c01)));
  EXPECT_TRUE(std::isnan(FloatFromF16(0xfe00)));
}

TEST(HalfFloatsTest, Bf16RoundsToNearestWithTiesToEven) {
  EXPECT_EQ(Bf16FromFloat(1.0f), 0x3f80);
  EXPECT_EQ(Bf16FromFloat(std::bit_cast<float>(0x3f808000)),
            0x3f80);  // A tie, even below.
  EXPECT_EQ(Bf16FromFloat(std::bit_cast<float>(0x3f818000)),
            0x3f82);  // A tie, even above.
  EXPECT_EQ(Bf16FromFloat(std::bit_cast<float>(0x3f808001)), 0x3f81);
  EXPECT_EQ(Bf16FromFloat(std::bit_cast<float>(0x7f7fffff)),
            0x7f80);  // Becomes infinite.
  EXPECT_TRUE(std::isnan(
      FloatFromBf16(Bf16FromFloat(std::bit_cast<float>(0x7f800001)))));
}

TEST(HalfFloatsTest, EveryFiniteHalfSurvivesTheWayThroughFloat) {
  for (int bits = 0; bits < 65536; ++bits) {
    if (((bits >> 10) & 31) == 31) continue;
    const uint16_t half = static_cast<uint16_t>(bits);
    ASSERT_EQ(F16FromFloat(FloatFromF16(half)), half);
  }
}

TEST(HalfFloatsTest, HalvesRoundToNearestWithTiesToEven) {
  EXPECT_EQ(F16FromFloat(1 + 0x1p-11f), 0x3c00);  // A tie, even below.
  EXPECT_EQ(F16FromFloat(1 + 0x3p-11f), 0x3c02);  // A tie, even above.
  EXPECT_EQ(F16FromFloat(1 + 0x1.1p-11f), 0x3c01);
  EXPECT_EQ(F16FromFloat(0x1p-25f), 0);  // A tie between zero and the smallest.
  EXPECT_EQ(F16FromFloat(0x1.8p-25f), 1);
  EXPECT_EQ(F16FromFloat(65519.0f),
            0x7bff);  // The largest; one more is infinite.
  EXPECT_EQ(F16FromFloat(65520.0f), 0x7c00);
  EXPECT_EQ(F16FromFloat(-INFINITY), 0xfc00);
  EXPECT_TRUE(std::isnan(FloatFromF16(F16FromFloat(NAN))));
}

}  // namespace
}  // namespace quire
