#include "client/request_state_text.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

std::string TextOf(bool running, v1::Priority priority) {
  v1::RequestStatus request;
  request.set_running(running);
  request.set_priority(priority);
  return StateText(request);
}

TEST(RequestStateTextTest, OnlyAnUnusualPriorityIsShown) {
  EXPECT_EQ(TextOf(true, v1::PRIORITY_UNSPECIFIED), "running");
  EXPECT_EQ(TextOf(false, v1::PRIORITY_NORMAL), "waiting");
  EXPECT_EQ(TextOf(true, v1::PRIORITY_HIGH), "running high");
  EXPECT_EQ(TextOf(false, v1::PRIORITY_LOW), "waiting low");
}

}  // namespace
}  // namespace quire
