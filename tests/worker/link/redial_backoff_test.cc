#include "worker/link/redial_backoff.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

constexpr RedialBackoff::Options kOptions = {.first = absl::Milliseconds(100),
                                             .longest = absl::Seconds(1)};

void ExpectWithinUpperHalf(absl::Duration pause, absl::Duration range) {
  EXPECT_GE(pause, range / 2);
  EXPECT_LE(pause, range);
}

TEST(RedialBackoffTest, PausesDoubleUpToTheLongest) {
  RedialBackoff backoff(kOptions, /*seed=*/1);
  for (const int ms : {100, 200, 400, 800, 1000, 1000}) {
    ExpectWithinUpperHalf(backoff.Next(), absl::Milliseconds(ms));
  }
}

TEST(RedialBackoffTest, PausesAreShortAgainAfterASuccess) {
  RedialBackoff backoff(kOptions, /*seed=*/1);
  for (int i = 0; i < 5; ++i) backoff.Next();
  backoff.Reset();
  ExpectWithinUpperHalf(backoff.Next(), absl::Milliseconds(100));
}

TEST(RedialBackoffTest, RefusalsPauseLongestAndSoDoesWhatFollows) {
  RedialBackoff backoff(kOptions, /*seed=*/1);
  ExpectWithinUpperHalf(backoff.NextLongest(), absl::Seconds(1));
  ExpectWithinUpperHalf(backoff.Next(), absl::Seconds(1));
}

TEST(RedialBackoffTest, RanksWithOtherSeedsPauseDifferently) {
  EXPECT_NE(RedialBackoff(kOptions, 1).Next(),
            RedialBackoff(kOptions, 2).Next());
}

}  // namespace
}  // namespace quire
