#include "scheduler/engine/deadline_watch.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

absl::Time At(int seconds) {
  return absl::UnixEpoch() + absl::Seconds(seconds);
}

class DeadlineWatchTest : public testing::Test {
 protected:
  DeadlineWatch watch_;
  const RequestId first_ = RequestId(1);
  const RequestId second_ = RequestId(2);
};

TEST_F(DeadlineWatchTest, NothingIsWatchedAtFirst) {
  EXPECT_EQ(watch_.next_time(), absl::InfiniteFuture());
  watch_.Remove(first_);
  watch_.Set(first_, absl::InfiniteFuture());
  EXPECT_EQ(watch_.next_time(), absl::InfiniteFuture());
}

TEST_F(DeadlineWatchTest, TheEarliestComesFirst) {
  watch_.Set(first_, At(5));
  watch_.Set(second_, At(3));
  EXPECT_EQ(watch_.next(), second_);
  EXPECT_EQ(watch_.next_time(), At(3));
  watch_.Remove(second_);
  EXPECT_EQ(watch_.next(), first_);
  watch_.Remove(first_);
  EXPECT_EQ(watch_.next_time(), absl::InfiniteFuture());
}

TEST_F(DeadlineWatchTest, ANewTimeTakesThePlaceOfTheOldOne) {
  watch_.Set(first_, At(5));
  watch_.Set(second_, At(6));
  watch_.Set(first_, At(7));
  EXPECT_EQ(watch_.next(), second_);
  watch_.Remove(second_);
  EXPECT_EQ(watch_.next_time(), At(7));
  watch_.Remove(first_);
  EXPECT_EQ(watch_.next_time(), absl::InfiniteFuture());
}

TEST_F(DeadlineWatchTest, TwoMayShareATime) {
  watch_.Set(first_, At(5));
  watch_.Set(second_, At(5));
  watch_.Remove(first_);
  EXPECT_EQ(watch_.next(), second_);
}

}  // namespace
}  // namespace quire
