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

TEST(CpuBudgetTest, RanksDivideTheThreads) {
  EXPECT_EQ(ThreadsOfRank(8, 0, 1), 8);
  EXPECT_EQ(
      ThreadsOfRank(8, 0, 3) + ThreadsOfRank(8, 1, 3) + ThreadsOfRank(8, 2, 3),
      8);
  EXPECT_EQ(ThreadsOfRank(2, 1, 2), 1);
  EXPECT_EQ(ThreadsOfRank(2, 4, 8), 1) << "ranks outnumber processors";
}

TEST(CpuBudgetTest, MachineWithoutControlGroupsUsesItsAffinity) {
  const testing::TemporaryFolder root;
  EXPECT_GE(DefaultNumThreads(root.path()), 1);
}

}  // namespace
}  // namespace quire
