#include "scheduler/policy/admission_mode.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(AdmissionModeTest, EveryNameIsReadAsItIsPrinted) {
  for (const std::string name : {"first_chunk", "full_prompt", "worst_case"}) {
    AdmissionMode mode;
    std::string error;
    ASSERT_TRUE(AbslParseFlag(name, &mode, &error));
    EXPECT_EQ(AbslUnparseFlag(mode), name);
  }
}

TEST(AdmissionModeTest, AnUnknownNameIsRefusedWithThoseThereAre) {
  AdmissionMode mode = AdmissionMode::kWorstCase;
  std::string error;
  EXPECT_FALSE(AbslParseFlag("worst", &mode, &error));
  EXPECT_EQ(error, "it must be first_chunk, full_prompt or worst_case");
  EXPECT_EQ(mode, AdmissionMode::kWorstCase);
}

}  // namespace
}  // namespace quire
