#include "common/modelfile/tensor_layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/common/modelfile/is_error.h"

namespace quire {
namespace {

using testing::IsInvalid;
using testing::IsOk;

absl::StatusOr<uint64_t> SizeOf(TensorType type, std::vector<int64_t> shape) {
  return TensorByteSize(type, shape);
}

TEST(TensorByteSize, CountsWholeGroups) {
  EXPECT_EQ(SizeOf(TensorType::kF32, {3, 5}).value(), 60u);
  EXPECT_EQ(SizeOf(TensorType::kQ4_1, {7, 64}).value(), 7u * 2 * 20);
  EXPECT_EQ(SizeOf(TensorType::kQ6_K, {2, 3, 512}).value(), 6u * 2 * 210);
  EXPECT_EQ(SizeOf(TensorType::kBF16, {}).value(), 2u);
}

TEST(TensorByteSize, RowOfAPartialGroupIsRefused) {
  EXPECT_THAT(
      SizeOf(TensorType::kQ8_0, {64, 33}),
      IsInvalid(
          "rows of 33 elements are no multiple of 32, the group of type Q8_0"));
  EXPECT_THAT(SizeOf(TensorType::kQ4_K, {256, 128}),
              IsInvalid("no multiple of 256"));
}

TEST(TensorByteSize, EmptyAndNegativeDimensionsAreRefused) {
  EXPECT_THAT(SizeOf(TensorType::kF32, {0}),
              IsInvalid("shape [0] has a dimension below 1"));
  EXPECT_THAT(SizeOf(TensorType::kF32, {4, -4}), IsInvalid("shape [4, -4]"));
  EXPECT_THAT(SizeOf(TensorType::kQ8_0, {-1, -32}), IsInvalid("below 1"));
}

TEST(TensorByteSize, OverflowingProductIsRefused) {
  EXPECT_THAT(SizeOf(TensorType::kF32, {int64_t{1} << 32, int64_t{1} << 32}),
              IsInvalid("larger than 2^62 bytes"));
  EXPECT_THAT(SizeOf(TensorType::kF32, {int64_t{1} << 62}),
              IsInvalid("larger than 2^62 bytes"));
  EXPECT_THAT(SizeOf(TensorType::kF16, {INT64_MAX, INT64_MAX, INT64_MAX}),
              IsInvalid("larger than 2^62 bytes"));
}

TEST(CheckNoOverlap, NeighboursDoNotOverlapAndOneSharedByteDoes) {
  const std::vector<std::byte> bytes(16);
  const std::span<const std::byte> all(bytes);
  const TensorView front = {.name = "front", .data = all.subspan(0, 8)};
  const TensorView back = {.name = "back", .data = all.subspan(8, 8)};
  const TensorView middle = {.name = "middle", .data = all.subspan(7, 2)};
  EXPECT_THAT(CheckNoOverlap(std::vector{back, front}), IsOk());
  EXPECT_THAT(CheckNoOverlap(std::vector{back, front, middle}),
              IsInvalid("tensors 'front' and 'middle' overlap"));
}

}  // namespace
}  // namespace quire
