#include "scheduler/engine/engine_options.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(EngineOptionsTest, DefaultsAreValid) {
  EXPECT_TRUE(EngineOptions().Validate().ok());
}

TEST(EngineOptionsTest, NamesOptionValueAndLimit) {
  const absl::Status status = EngineOptions{.pipeline_depth = 3}.Validate();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()),
            "pipeline_depth is 3, must be 1 to 2");
}

TEST(EngineOptionsTest, NothingMayBeZero) {
  EXPECT_FALSE(EngineOptions{.max_step_tokens = 0}.Validate().ok());
  EXPECT_FALSE(EngineOptions{.max_running_sequences = 0}.Validate().ok());
  EXPECT_FALSE(EngineOptions{.pipeline_depth = 0}.Validate().ok());
  EXPECT_FALSE(EngineOptions{.max_waiting_requests = 0}.Validate().ok());
  EXPECT_FALSE(EngineOptions{.max_waiting_tokens = 0}.Validate().ok());
}

TEST(EngineOptionsTest, AHeadStartIsNotNegative) {
  EngineOptions options;
  options.priority_head_start = absl::InfiniteDuration();
  EXPECT_TRUE(options.Validate().ok());
  options.priority_head_start = absl::ZeroDuration();
  EXPECT_TRUE(options.Validate().ok());
  options.priority_head_start = -absl::Seconds(2);
  EXPECT_EQ(std::string(options.Validate().message()),
            "priority_head_start is -2s, must be at least 0");
}

}  // namespace
}  // namespace quire
