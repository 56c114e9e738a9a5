#include "common/modelfile/tensor.h"

#include <gtest/gtest.h>

namespace quire {
namespace {

TEST(TensorType, SizesAreThoseOfGgml) {
  const struct {
    TensorType type;
    const char* name;
    int64_t elements, bytes;
  } kCases[] = {
      {TensorType::kF32, "F32", 1, 4},
      {TensorType::kF16, "F16", 1, 2},
      {TensorType::kBF16, "BF16", 1, 2},
      {TensorType::kQ4_0, "Q4_0", 32, 18},
      {TensorType::kQ4_1, "Q4_1", 32, 20},
      {TensorType::kQ5_0, "Q5_0", 32, 22},
      {TensorType::kQ5_1, "Q5_1", 32, 24},
      {TensorType::kQ8_0, "Q8_0", 32, 34},
      {TensorType::kQ2_K, "Q2_K", 256, 84},
      {TensorType::kQ3_K, "Q3_K", 256, 110},
      {TensorType::kQ4_K, "Q4_K", 256, 144},
      {TensorType::kQ5_K, "Q5_K", 256, 176},
      {TensorType::kQ6_K, "Q6_K", 256, 210},
  };
  for (const auto& expected : kCases) {
    const TensorTypeInfo& info = GetTensorTypeInfo(expected.type);
    EXPECT_EQ(info.name, expected.name);
    EXPECT_EQ(info.elements, expected.elements) << expected.name;
    EXPECT_EQ(info.bytes, expected.bytes) << expected.name;
  }
}

TEST(TensorView, ElementsAreTheProductOfTheShape) {
  EXPECT_EQ((TensorView{.shape = {3, 4, 5}}.num_elements()), 60);
  EXPECT_EQ(TensorView{}.num_elements(), 1);
}

}  // namespace
}  // namespace quire
