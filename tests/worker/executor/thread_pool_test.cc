#include "worker/executor/thread_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstdint>
#include <vector>

namespace quire {
namespace {

class ThreadPoolTest : public testing::TestWithParam<int> {
 protected:
  ThreadPool pool_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(NumThreads, ThreadPoolTest,
                         testing::Values(1, 2, 3, 8));

TEST_P(ThreadPoolTest, EveryThreadRunsATaskOnce) {
  std::vector<int> runs(GetParam());
  pool_.Run([&](int thread) { ++runs[thread]; });
  EXPECT_EQ(runs, std::vector<int>(GetParam(), 1));
}

TEST_P(ThreadPoolTest, TheCallerIsThreadZero) {
  const auto caller = pthread_self();
  bool is_caller = false;
  pool_.Run([&](int thread) {
    if (thread == 0) is_caller = pthread_equal(pthread_self(), caller) != 0;
  });
  EXPECT_TRUE(is_caller);
}

// Each task reads what all threads wrote in the one before. Neither data race
// (ThreadSanitizer) nor stale value.
TEST_P(ThreadPoolTest, ATaskSeesWhatTheOneBeforeItWrote) {
  std::vector<int64_t> values(GetParam(), 1);
  std::vector<int64_t> sums(GetParam());
  int64_t wanted = GetParam();
  for (int step = 0; step < 2000; ++step) {
    pool_.Run([&](int thread) {
      sums[thread] = 0;
      for (int64_t value : values) sums[thread] += value;
    });
    for (int64_t sum : sums) ASSERT_EQ(sum, wanted) << step;
    pool_.Run(
        [&](int thread) { values[thread] = sums[thread] % 1000 + thread; });
    wanted = 0;
    for (int64_t value : values) wanted += value;
  }
}

TEST_P(ThreadPoolTest, ParallelForCoversARangeOnce) {
  for (int64_t count : {0, 1, 2, 7, 64, 1000}) {
    std::vector<int> visits(count);
    pool_.ParallelFor(count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++visits[i];
    });
    EXPECT_EQ(visits, std::vector<int>(count, 1));
  }
}

TEST_P(ThreadPoolTest, AnIdlePoolEnds) {
  ThreadPool unused(GetParam());
  EXPECT_EQ(unused.num_threads(), GetParam());
}

}  // namespace
}  // namespace quire
