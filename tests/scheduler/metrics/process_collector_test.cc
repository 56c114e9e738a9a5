#include "scheduler/metrics/process_collector.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using ::testing::HasSubstr;

class ProcessCollectorTest : public ::testing::Test {
 protected:
  ProcessCollectorTest() { AddProcessMetrics(&metrics_); }

  double Value(const std::string& name) {
    const std::string text = metrics_.Serialize();
    const size_t at = text.find("\n" + name + " ");
    EXPECT_NE(at, std::string::npos) << name;
    return std::stod(text.substr(at + name.size() + 2));
  }

  MetricRegistry metrics_;
};

TEST_F(ProcessCollectorTest, CpuTimeIsThatOfTheProcess) {
  const std::clock_t until = std::clock() + CLOCKS_PER_SEC / 10;
  while (std::clock() < until) {
  }
  const double seconds = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  EXPECT_NEAR(Value("process_cpu_seconds_total"), seconds, 0.05);
  EXPECT_GE(Value("process_cpu_seconds_total"), 0.08);
}

TEST_F(ProcessCollectorTest, ResidentMemoryFollowsAllocation) {
  const double before = Value("process_resident_memory_bytes");
  const std::string touched(64 << 20, 'x');
  const double after = Value("process_resident_memory_bytes");
  EXPECT_GE(after - before, 60 << 20);
  EXPECT_LE(after - before, 80 << 20);
  EXPECT_GE(Value("process_virtual_memory_bytes"), after);
  EXPECT_EQ(touched.back(), 'x');
}

TEST_F(ProcessCollectorTest, OpenFilesAreCounted) {
  const double before = Value("process_open_fds");
  const int file = open("/dev/null", O_RDONLY);
  EXPECT_EQ(Value("process_open_fds"), before + 1);
  close(file);
  EXPECT_EQ(Value("process_open_fds"), before);
}

TEST_F(ProcessCollectorTest, LimitOfOpenFilesIsTheProcessLimit) {
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(Value("process_max_fds"), static_cast<double>(limit.rlim_cur));
}

TEST_F(ProcessCollectorTest, StartedAMomentAgo) {
  const double now = std::chrono::duration<double>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
  // Boot time is whole seconds.
  EXPECT_NEAR(Value("process_start_time_seconds"), now, 60);
}

TEST(BuildInfoTest, IsOneWithLabels) {
  MetricRegistry metrics;
  AddBuildInfo(&metrics, {{"model", "tiny"}});
  EXPECT_THAT(metrics.Serialize(),
              HasSubstr("quire_build_info{model=\"tiny\"} 1\n"));
}

}  // namespace
}  // namespace quire
