#include "worker/executor/control_group.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "tests/testing/temporary_folder.h"

namespace quire {
namespace {

constexpr int64_t kMiB = 1 << 20;

// A machine whose /proc and /sys are files of a folder.
class ControlGroupTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path full = folder_.path() + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }

  ControlGroupLimits Read() { return ReadControlGroupLimits(folder_.path()); }

  testing::TemporaryFolder folder_;
};

TEST_F(ControlGroupTest, MachineWithoutControlGroupsHasNoLimits) {
  EXPECT_FALSE(Read().memory_room.has_value());
  EXPECT_FALSE(Read().cpu_quota.has_value());
}

TEST_F(ControlGroupTest, Version2LeavesLimitMinusUsageThatStays) {
  Write("/proc/self/cgroup", "0::/service\n");
  Write("/sys/fs/cgroup/service/memory.max", "104857600\n");  // 100 MiB.
  Write("/sys/fs/cgroup/service/memory.current", "31457280\n");
  Write("/sys/fs/cgroup/service/memory.stat",
        "anon 10485760\nactive_file 5\ninactive_file 20971520\n");
  Write("/sys/fs/cgroup/service/cpu.max", "150000 100000\n");
  EXPECT_EQ(Read().memory_room, 90 * kMiB);
  EXPECT_EQ(Read().cpu_quota, 1.5);
}

TEST_F(ControlGroupTest, TightestAncestorCounts) {
  Write("/proc/self/cgroup", "0::/pod/container\n");
  Write("/sys/fs/cgroup/pod/container/memory.max", "209715200\n");
  Write("/sys/fs/cgroup/pod/container/cpu.max", "400000 100000\n");
  Write("/sys/fs/cgroup/pod/memory.max", "104857600\n");
  Write("/sys/fs/cgroup/pod/cpu.max", "200000 100000\n");
  EXPECT_EQ(Read().memory_room, 100 * kMiB);
  EXPECT_EQ(Read().cpu_quota, 2);
}

TEST_F(ControlGroupTest, MaxIsNoLimit) {
  Write("/proc/self/cgroup", "0::/\n");
  Write("/sys/fs/cgroup/memory.max", "max\n");
  Write("/sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_FALSE(Read().memory_room.has_value());
  EXPECT_FALSE(Read().cpu_quota.has_value());
}

TEST_F(ControlGroupTest, ContainerFindsItsFilesAtTheMount) {
  Write("/proc/self/cgroup", "0::/outer/name/of/the/container\n");
  Write("/sys/fs/cgroup/memory.max", "104857600\n");
  EXPECT_EQ(Read().memory_room, 100 * kMiB);
}

TEST_F(ControlGroupTest, Version1HasAFolderForEachController) {
  Write("/proc/self/cgroup", "4:memory:/service\n3:cpu,cpuacct:/service\n");
  Write("/sys/fs/cgroup/memory/service/memory.limit_in_bytes", "104857600\n");
  Write("/sys/fs/cgroup/memory/service/memory.usage_in_bytes", "31457280\n");
  Write("/sys/fs/cgroup/memory/service/memory.stat",
        "inactive_file 1\ntotal_inactive_file 20971520\n");
  Write("/sys/fs/cgroup/cpu/service/cpu.cfs_quota_us", "250000\n");
  Write("/sys/fs/cgroup/cpu/service/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Read().memory_room, 90 * kMiB);
  EXPECT_EQ(Read().cpu_quota, 2.5);
}

TEST_F(ControlGroupTest, Version1WithoutLimitSaysSoWithAHugeNumberOrMinusOne) {
  Write("/proc/self/cgroup", "4:memory:/\n3:cpu:/\n");
  Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(Read().memory_room.has_value());
  EXPECT_FALSE(Read().cpu_quota.has_value());
}

TEST_F(ControlGroupTest, NoRoomIsZeroNotLess) {
  Write("/proc/self/cgroup", "0::/\n");
  Write("/sys/fs/cgroup/memory.max", "1000\n");
  Write("/sys/fs/cgroup/memory.current", "2000\n");
  EXPECT_EQ(Read().memory_room, 0);
}

TEST_F(ControlGroupTest, FilesThatMakeNoSenseCountAsNoLimit) {
  Write("/proc/self/cgroup", "nonsense\n::\n0:\n0::relative\n7:cpu:\n");
  Write("/sys/fs/cgroup/memory.max", "\n");
  Write("/sys/fs/cgroup/cpu.max", "100000 0\n");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "many\n");
  EXPECT_FALSE(Read().memory_room.has_value());
  EXPECT_FALSE(Read().cpu_quota.has_value());
}

}  // namespace
}  // namespace quire
