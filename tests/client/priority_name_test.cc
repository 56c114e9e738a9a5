#include "client/priority_name.h"

#include <string>

#include "gtest/gtest.h"

namespace quire::v1 {
namespace {

TEST(PriorityNameTest, EveryPriorityIsReadAndPrinted) {
  for (const Priority priority :
       {PRIORITY_LOW, PRIORITY_NORMAL, PRIORITY_HIGH}) {
    Priority read;
    std::string error;
    ASSERT_TRUE(AbslParseFlag(AbslUnparseFlag(priority), &read, &error));
    EXPECT_EQ(read, priority);
  }
  EXPECT_EQ(AbslUnparseFlag(PRIORITY_HIGH), "high");
}

TEST(PriorityNameTest, AnotherWordIsRefused) {
  Priority priority;
  std::string error;
  EXPECT_FALSE(AbslParseFlag("urgent", &priority, &error));
  EXPECT_EQ(error, "it must be low, normal or high");
}

// A server may know more of them than this client.
TEST(PriorityNameTest, AnUnknownOneIsANumber) {
  EXPECT_EQ(AbslUnparseFlag(static_cast<Priority>(7)), "7");
}

}  // namespace
}  // namespace quire::v1
