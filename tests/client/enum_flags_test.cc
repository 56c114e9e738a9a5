#include "client/enum_flags.h"

#include <string>

#include "gtest/gtest.h"

namespace quire::v1 {
namespace {

TEST(EnumFlagsTest, EveryEarlyStoppingIsReadAndPrinted) {
  for (const EarlyStopping value :
       {EARLY_STOPPING_TRUE, EARLY_STOPPING_FALSE, EARLY_STOPPING_NEVER}) {
    EarlyStopping read;
    std::string error;
    ASSERT_TRUE(AbslParseFlag(AbslUnparseFlag(value), &read, &error));
    EXPECT_EQ(read, value);
  }
}

TEST(EnumFlagsTest, EveryPriorityIsReadAndPrinted) {
  for (const Priority priority :
       {PRIORITY_LOW, PRIORITY_NORMAL, PRIORITY_HIGH}) {
    Priority read;
    std::string error;
    ASSERT_TRUE(AbslParseFlag(AbslUnparseFlag(priority), &read, &error));
    EXPECT_EQ(read, priority);
  }
  EXPECT_EQ(AbslUnparseFlag(PRIORITY_HIGH), "high");
}

TEST(EnumFlagsTest, AnotherWordIsRefused) {
  Priority priority;
  std::string error;
  EXPECT_FALSE(AbslParseFlag("urgent", &priority, &error));
  EXPECT_EQ(error, "it must be low, normal or high");
}

// A server may know more of them than this client.
TEST(EnumFlagsTest, AnUnknownOneIsANumber) {
  EXPECT_EQ(AbslUnparseFlag(static_cast<Priority>(7)), "7");
}

}  // namespace
}  // namespace quire::v1
