#include "scheduler/frontend/tokenize_pool.h"

#include <thread>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(TokenizePoolTest, ShortTextsStayOnTheCallersThread) {
  TokenizePool pool({.max_inline_bytes = 100});
  std::thread::id worker;
  EXPECT_TRUE(pool.Run(100, [&] { worker = std::this_thread::get_id(); }).ok());
  EXPECT_EQ(worker, std::this_thread::get_id());
}

TEST(TokenizePoolTest, LongTextsGoToAThreadOfThePool) {
  TokenizePool pool({.max_inline_bytes = 100});
  std::thread::id worker;
  absl::Notification done;
  EXPECT_TRUE(pool.Run(101,
                       [&] {
                         worker = std::this_thread::get_id();
                         done.Notify();
                       })
                  .ok());
  done.WaitForNotification();
  EXPECT_NE(worker, std::this_thread::get_id());
}

TEST(TokenizePoolTest, TooManyLongTextsAreRefusedAndShortOnesAreNot) {
  TokenizePool pool(
      {.num_threads = 1, .max_waiting = 1, .max_inline_bytes = 100});
  absl::Notification busy;
  absl::Notification release;
  EXPECT_TRUE(pool.Run(101,
                       [&] {
                         busy.Notify();
                         release.WaitForNotification();
                       })
                  .ok());
  busy.WaitForNotification();
  EXPECT_TRUE(pool.Run(101, [] {}).ok());
  EXPECT_EQ(pool.Run(101, [] { FAIL(); }),
            absl::ResourceExhaustedError(
                "1 long texts are waiting to be tokenized, the most that may"));
  EXPECT_TRUE(pool.Run(100, [] {}).ok());
  release.Notify();
}

}  // namespace
}  // namespace quire
