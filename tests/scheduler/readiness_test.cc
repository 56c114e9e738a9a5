#include "scheduler/readiness.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ReadinessTest : public ::testing::Test {
 protected:
  std::vector<bool> published_;
  Readiness readiness_{[this](bool ready) { published_.push_back(ready); }};
};

TEST_F(ReadinessTest, StartsNotReadyAndUnsaid) {
  EXPECT_FALSE(readiness_.ready());
  EXPECT_THAT(published_, IsEmpty());
}

TEST_F(ReadinessTest, FollowsTheGroup) {
  readiness_.SetGroupReady(true);
  EXPECT_TRUE(readiness_.ready());
  readiness_.SetGroupReady(false);
  EXPECT_FALSE(readiness_.ready());
  EXPECT_THAT(published_, ElementsAre(true, false));
}

TEST_F(ReadinessTest, StuckStepsMakeItNotReadyUntilTheyMoveAgain) {
  readiness_.SetGroupReady(true);
  readiness_.SetStuck(true);
  EXPECT_FALSE(readiness_.ready());
  readiness_.SetStuck(false);
  EXPECT_THAT(published_, ElementsAre(true, false, true));
}

TEST_F(ReadinessTest, DrainingIsForGood) {
  readiness_.SetGroupReady(true);
  readiness_.SetDraining();
  readiness_.SetGroupReady(false);
  readiness_.SetGroupReady(true);
  EXPECT_FALSE(readiness_.ready());
  EXPECT_TRUE(readiness_.draining());
  EXPECT_THAT(published_, ElementsAre(true, false));
}

TEST_F(ReadinessTest, OnlyChangesArePublished) {
  readiness_.SetGroupReady(true);
  readiness_.SetGroupReady(true);
  readiness_.SetStuck(false);
  readiness_.SetGroupReady(false);
  readiness_.SetStuck(true);
  EXPECT_THAT(published_, ElementsAre(true, false));
}

}  // namespace
}  // namespace quire
