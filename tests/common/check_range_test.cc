#include "common/check_range.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(CheckRangeTest, BothEndsAreInside) {
  EXPECT_TRUE(CheckRange("depth", 1, 1, 2).ok());
  EXPECT_TRUE(CheckRange("depth", 2, 1, 2).ok());
}

TEST(CheckRangeTest, OutsideIsNamedWithItsLimits) {
  const absl::Status status = CheckRange("depth", 3, 1, 2);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), "depth is 3, must be 1 to 2");
  EXPECT_FALSE(CheckRange("depth", 0, 1, 2).ok());
  EXPECT_FALSE(CheckRange("depth", UINT64_MAX, 1, 2).ok());
}

}  // namespace
}  // namespace quire
