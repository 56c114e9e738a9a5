#include "worker/weights/mapped_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

namespace quire {
namespace {

TEST(MappedMemoryTest, IsZeroAlignedAndWritableToItsLastByte) {
  auto memory = MappedMemory::Allocate(3'000'001, "a test");
  ASSERT_TRUE(memory.ok());
  std::byte* data = memory->data();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % (2 << 20), 0);
  EXPECT_EQ(data[3'000'000], std::byte{0});
  data[3'000'000] = std::byte{7};
  EXPECT_EQ(data[3'000'000], std::byte{7});
}

TEST(MappedMemoryTest, TooMuchIsRefusedByPurposeAndSize) {
  for (int64_t size : {int64_t{1} << 55, std::numeric_limits<int64_t>::max()}) {
    const auto memory = MappedMemory::Allocate(size, "a test");
    EXPECT_EQ(memory.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_NE(
        memory.status().ToString().find("a test: " + std::to_string(size)),
        std::string::npos);
  }
}

TEST(MappedMemoryTest, MovingHandsTheRangeOver) {
  auto memory = MappedMemory::Allocate(100, "a test");
  std::byte* data = memory->data();
  data[5] = std::byte{9};
  MappedMemory moved = *std::move(memory);
  EXPECT_EQ(moved.data(), data);
  moved = MappedMemory();
  EXPECT_EQ(moved.data(), nullptr);
}

}  // namespace
}  // namespace quire
