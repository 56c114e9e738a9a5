#include "worker/executor/cpu_budget.h"

#include "gtest/gtest.h"
#include "tests/testing/temporary_folder.h"

namespace quire {
namespace {

TEST(CpuBudgetTest, ThreadsAreTheUsableProcessorsWithoutAQuota) {
  EXPECT_EQ(NumThreads(8, 0), 8);
}

TEST(CpuBudgetTest, QuotaIsRoundedDown) {
  EXPECT_EQ(NumThreads(8, 3.9), 3);
  EXPECT_EQ(NumThreads(2, 3.9), 2);
}

TEST(CpuBudgetTest, ThereIsAlwaysOneThread) {
  EXPECT_EQ(NumThreads(8, 0.5), 1);
  EXPECT_EQ(NumThreads(0, 0), 1);
}

TEST(CpuBudgetTest, MachineWithoutControlGroupsUsesItsAffinity) {
  const testing::TemporaryFolder root;
  EXPECT_GE(DefaultNumThreads(root.path()), 1);
}

}  // namespace
}  // namespace quire
