#include "scheduler/frontend/task_pool.h"

#include <atomic>
#include <latch>
#include <memory>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using ::testing::ElementsAre;

TEST(TaskPoolTest, TasksRunInTheirOrder) {
  std::vector<int> order;
  {
    TaskPool pool(/*num_threads=*/1, /*max_waiting=*/10);
    for (int i = 0; i < 4; ++i)
      ASSERT_TRUE(pool.TryRun([&order, i] { order.push_back(i); }));
  }
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

TEST(TaskPoolTest, ThreadsWorkAtTheSameTime) {
  std::atomic<int> num_run = 0;
  std::latch all_begun(3);
  {
    TaskPool pool(/*num_threads=*/3, /*max_waiting=*/10);
    for (int i = 0; i < 3; ++i) {
      // Each task ends only when all have begun.
      pool.TryRun([&] {
        all_begun.arrive_and_wait();
        ++num_run;
      });
    }
  }
  EXPECT_EQ(num_run, 3);
}

TEST(TaskPoolTest, AFullQueueRefuses) {
  absl::Notification busy;
  absl::Notification release;
  std::atomic<int> num_run = 0;
  {
    TaskPool pool(/*num_threads=*/1, /*max_waiting=*/2);
    pool.TryRun([&] {
      busy.Notify();
      release.WaitForNotification();
    });
    busy.WaitForNotification();
    EXPECT_TRUE(pool.TryRun([&] { ++num_run; }));
    EXPECT_TRUE(pool.TryRun([&] { ++num_run; }));
    EXPECT_FALSE(pool.TryRun([&] { ++num_run; }));
    release.Notify();
  }
  EXPECT_EQ(num_run, 2);
}

TEST(TaskPoolTest, ATaskIsDestroyedOnceItHasRun) {
  TaskPool pool(/*num_threads=*/1, /*max_waiting=*/2);
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = held;
  absl::Notification next;
  pool.TryRun([held = std::move(held)] {});
  pool.TryRun([&] { next.Notify(); });
  next.WaitForNotification();
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace quire
