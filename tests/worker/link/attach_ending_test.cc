#include "worker/link/attach_ending.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

constexpr char kAddress[] = "host:8301";

TEST(AttachEndingTest, FailureOfThisWorkerIsNotBlamedOnTheScheduler) {
  EXPECT_EQ(DescribeEnding({.status = absl::ResourceExhaustedError("no memory"),
                            .is_own = true},
                           kAddress),
            "this worker left the scheduler at host:8301: RESOURCE_EXHAUSTED: "
            "no memory");
  EXPECT_EQ(
      DescribeEnding({.status = absl::FailedPreconditionError("no plan"),
                      .was_attached = true,
                      .is_own = true},
                     kAddress),
      "this worker left the scheduler at host:8301: FAILED_PRECONDITION: no "
      "plan");
}

TEST(AttachEndingTest, RankThatCannotMeetTheOthersTriesAgainSoon) {
  const AttachEnding missed = {
      .status = absl::DeadlineExceededError("rank 1 did not come"),
      .is_own = true};
  EXPECT_EQ(DescribeEnding(missed, kAddress),
            "missed the other ranks of the scheduler at host:8301: "
            "DEADLINE_EXCEEDED: rank 1 did not come");
  EXPECT_FALSE(IsRefusal(missed));
}

TEST(AttachEndingTest, RefusalIsTheSchedulers) {
  EXPECT_EQ(
      DescribeEnding({.status = absl::FailedPreconditionError("other model")},
                     kAddress),
      "refused by the scheduler at host:8301: FAILED_PRECONDITION: other "
      "model");
}

TEST(AttachEndingTest, RankThatIsTakenIsARefusalThatMayHeal) {
  const AttachEnding taken = {
      .status = absl::AlreadyExistsError("rank 0 is attached already")};
  EXPECT_EQ(DescribeEnding(taken, kAddress),
            "refused by the scheduler at host:8301: ALREADY_EXISTS: rank 0 is "
            "attached already");
  EXPECT_FALSE(IsRefusal(taken));
}

TEST(AttachEndingTest, SchedulerThatIsAwayIsToldFromOneThatWasLost) {
  const absl::Status gone = absl::UnavailableError("gone");
  EXPECT_EQ(DescribeEnding({.status = gone}, kAddress),
            "cannot reach the scheduler at host:8301: UNAVAILABLE: gone");
  EXPECT_EQ(DescribeEnding({.status = gone, .was_attached = true}, kAddress),
            "lost the scheduler at host:8301: UNAVAILABLE: gone");
}

TEST(AttachEndingTest, RefusalIsWhatAnotherAttemptDoesNotHeal) {
  EXPECT_TRUE(IsRefusal({.status = absl::FailedPreconditionError("")}));
  EXPECT_TRUE(IsRefusal({.status = absl::ResourceExhaustedError("")}));
  EXPECT_FALSE(IsRefusal({.status = absl::UnavailableError("")}));
  EXPECT_FALSE(IsRefusal({.status = absl::CancelledError("")}));
}

}  // namespace
}  // namespace quire
