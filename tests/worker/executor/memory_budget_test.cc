#include "worker/executor/memory_budget.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "tests/testing/temporary_folder.h"

namespace quire {
namespace {

constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kGiB = 1 << 30;

class MemoryBudgetTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path full = folder_.path() + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  void SetAvailable(int64_t bytes) {
    Write("/proc/meminfo", "MemTotal:       99999999 kB\nMemAvailable:   " +
                               std::to_string(bytes >> 10) + " kB\n");
  }
  absl::StatusOr<MemoryBudget> Plan(const std::string& kv_cache,
                                    const std::string& host_kv = "0") {
    return PlanMemory({.kv_cache = kv_cache, .host_kv = host_kv},
                      folder_.path());
  }

  testing::TemporaryFolder folder_;
};

TEST_F(MemoryBudgetTest, CacheGetsWhatActivationsAndHeadRoomLeave) {
  SetAvailable(8 * kGiB);
  const auto budget = Plan("auto");
  ASSERT_TRUE(budget.ok()) << budget.status();
  EXPECT_EQ(budget->activation_bytes, 512 * kMiB);
  EXPECT_EQ(budget->kv_cache_bytes, 8 * kGiB - 512 * kMiB - 1 * kGiB);
}

TEST_F(MemoryBudgetTest, SmallMachineKeepsTheLeastHeadRoom) {
  SetAvailable(1 * kGiB);
  const auto budget = Plan("auto");
  ASSERT_TRUE(budget.ok()) << budget.status();
  EXPECT_EQ(budget->activation_bytes, 64 * kMiB);
  EXPECT_EQ(budget->kv_cache_bytes, (1024 - 64 - 256) * kMiB);
}

TEST_F(MemoryBudgetTest, RanksOfOneMachineShareItsRoom) {
  SetAvailable(16 * kGiB);
  const auto budget =
      PlanMemory({.kv_cache = "auto", .host_kv = "0", .num_ranks_here = 2},
                 folder_.path());
  ASSERT_TRUE(budget.ok()) << budget.status();
  EXPECT_EQ(budget->kv_cache_bytes, 8 * kGiB - 512 * kMiB - 1 * kGiB);
}

TEST_F(MemoryBudgetTest, ControlGroupBoundsTheRoom) {
  SetAvailable(64 * kGiB);
  Write("/proc/self/cgroup", "0::/\n");
  Write("/sys/fs/cgroup/memory.max", std::to_string(3 * kGiB));
  Write("/sys/fs/cgroup/memory.current", std::to_string(1 * kGiB));
  const auto budget = Plan("auto");
  ASSERT_TRUE(budget.ok()) << budget.status();
  EXPECT_EQ(budget->kv_cache_bytes, (2048 - 128 - 256) * kMiB);
}

TEST_F(MemoryBudgetTest, NoRoomIsAnErrorThatNamesTheNumbers) {
  SetAvailable(300 * kMiB);
  EXPECT_EQ(Plan("auto").status(), absl::ResourceExhaustedError(
                                       "no memory for the KV cache: 300 MiB "
                                       "are left, 320 MiB are kept back, 0 MiB "
                                       "are for host blocks"));
}

TEST_F(MemoryBudgetTest, HostBlocksGetAQuarterOfWhatTheCacheGets) {
  SetAvailable(8 * kGiB);
  const auto budget = Plan("auto", "auto");
  ASSERT_TRUE(budget.ok()) << budget.status();
  const int64_t kv_bytes = 8 * kGiB - 512 * kMiB - 1 * kGiB;
  EXPECT_EQ(budget->host_kv_bytes, kv_bytes / 5);
  EXPECT_EQ(budget->kv_cache_bytes + budget->host_kv_bytes, kv_bytes);
}

TEST_F(MemoryBudgetTest, AGivenCacheIsResidentWhereThatLeavesHalfOfTheRoom) {
  SetAvailable(8 * kGiB);  // 6.5 GiB of it for KV.
  EXPECT_EQ(Plan("2GiB")->resident_kv_bytes, 2 * kGiB);
  EXPECT_EQ(Plan("64GiB")->resident_kv_bytes, 3328 * kMiB);
  EXPECT_EQ(Plan("auto")->resident_kv_bytes, Plan("auto")->kv_cache_bytes / 4);
  SetAvailable(64 * kGiB);
  EXPECT_EQ(Plan("32GiB")->resident_kv_bytes, 4 * kGiB);
}

TEST_F(MemoryBudgetTest, HostBlocksBesideAGivenCacheGetNoMoreThanIsLeft) {
  SetAvailable(8 * kGiB);  // 6.5 GiB of it for KV.
  EXPECT_EQ(Plan("2GiB", "auto")->host_kv_bytes, 512 * kMiB);
  EXPECT_EQ(Plan("6GiB", "auto")->host_kv_bytes, 512 * kMiB);
  EXPECT_EQ(Plan("64GiB", "auto")->host_kv_bytes, 0);
}

TEST_F(MemoryBudgetTest, CacheGetsWhatGivenHostBlocksLeave) {
  SetAvailable(8 * kGiB);  // 6.5 GiB of it for KV.
  const auto budget = Plan("auto", "2GiB");
  ASSERT_TRUE(budget.ok()) << budget.status();
  EXPECT_EQ(budget->host_kv_bytes, 2 * kGiB);
  EXPECT_EQ(budget->kv_cache_bytes, 4608 * kMiB);
  EXPECT_EQ(Plan("auto", "7GiB").status(),
            absl::ResourceExhaustedError(
                "no memory for the KV cache: 8192 MiB are left, 1536 MiB are "
                "kept back, 7168 MiB are for host blocks"));
}

TEST_F(MemoryBudgetTest, GivenSizesAreTakenAsTheyAre) {
  SetAvailable(300 * kMiB);
  const auto budget = Plan("2GiB", "1GiB");
  ASSERT_TRUE(budget.ok()) << budget.status();
  EXPECT_EQ(budget->kv_cache_bytes, 2 * kGiB);
  EXPECT_EQ(budget->host_kv_bytes, 1 * kGiB);
  EXPECT_EQ(budget->activation_bytes, 64 * kMiB);
}

TEST_F(MemoryBudgetTest, SizesAreBytesOrHaveABinaryUnit) {
  EXPECT_EQ(*ParseBytes("1073741824"), kGiB);
  EXPECT_EQ(*ParseBytes("512MiB"), 512 * kMiB);
  EXPECT_EQ(*ParseBytes("1.5GiB"), 1536 * kMiB);
  EXPECT_EQ(*ParseBytes("3KiB"), 3072);
  EXPECT_EQ(*ParseBytes("1TiB"), 1024 * kGiB);
}

TEST_F(MemoryBudgetTest, OtherSizesAreRefused) {
  for (const char* text :
       {"", "GiB", "lots", "-1", "0", "0.1", "1GB", "2 GiB", "nan", "inf",
        "1e9", "1MiBMiB", "99999999TiB", "1.2.3"}) {
    EXPECT_EQ(ParseBytes(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST_F(MemoryBudgetTest, OnlyHostBlocksMayHaveNoMemory) {
  EXPECT_EQ(*ParseBytesOrNone("0"), 0);
  EXPECT_EQ(*ParseBytesOrNone("512MiB"), 512 * kMiB);
  EXPECT_FALSE(ParseBytesOrNone("0MiB").ok());
  EXPECT_FALSE(ParseBytesOrNone("").ok());
}

TEST_F(MemoryBudgetTest, StepsHaveAsManyRowsAsTheActivationsHold) {
  ModelConfig config;
  config.hidden_size = 100;
  config.num_heads = 10;
  config.num_kv_heads = 5;
  config.head_dim = 10;
  config.intermediate_size = 200;
  // 2 * (200 + 300 + 600) floats a row.
  EXPECT_EQ(MaxStepRows(config, 8800 * 5000), 5000);
  EXPECT_EQ(MaxStepRows(config, 0), 1024);
}

}  // namespace
}  // namespace quire
