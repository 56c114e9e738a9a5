#include "worker/executor/thread_pool.h"

#include <gtest/gtest.h>

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

TEST_P(ThreadPoolTest, EveryPartOfATaskRunsOnce) {
  std::vector<int> runs(GetParam());
  pool_.Run([&](int part) { ++runs[part]; });
  EXPECT_EQ(runs, std::vector<int>(GetParam(), 1));
}

TEST_P(ThreadPoolTest, PiecesCoverARangeOnce) {
  for (int64_t count : {0, 1, 7, 64, 1000}) {
    for (int64_t piece : {1, 3, 64}) {
      std::vector<int> visits(count);
      pool_.ParallelForPieces(count, piece, [&](int64_t begin, int64_t end) {
        EXPECT_TRUE(begin < end && end - begin <= piece);
        for (int64_t i = begin; i < end; ++i) ++visits[i];
      });
      EXPECT_EQ(visits, std::vector<int>(count, 1));
    }
  }
}

// Each task reads what all threads wrote in the one before. Neither data race
// (ThreadSanitizer) nor stale value.
TEST_P(ThreadPoolTest, ATaskSeesWhatTheOneBeforeItWrote) {
  std::vector<int64_t> values(GetParam(), 1);
  std::vector<int64_t> sums(GetParam());
  int64_t wanted = GetParam();
  for (int step = 0; step < 2000; ++step) {
    pool_.Run([&](int part) {
      sums[part] = 0;
      for (int64_t value : values) sums[part] += value;
    });
    for (int64_t sum : sums) ASSERT_EQ(sum, wanted) << step;
    pool_.Run([&](int part) { values[part] = sums[part] % 1000 + part; });
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
