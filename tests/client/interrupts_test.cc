#include "client/interrupts.h"

#include <signal.h>
#include <unistd.h>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

void PressCtrlC() { kill(getpid(), SIGINT); }

TEST(InterruptsTest, CallsTheHandlerInsteadOfEndingTheProcess) {
  Interrupts interrupts;
  absl::Notification called;
  interrupts.SetHandler([&] { called.Notify(); });
  PressCtrlC();
  called.WaitForNotification();
}

TEST(InterruptsTest, CallsTheNewestHandler) {
  Interrupts interrupts;
  absl::Notification called;
  interrupts.SetHandler([] { FAIL() << "the former handler"; });
  interrupts.SetHandler([&] { called.Notify(); });
  PressCtrlC();
  called.WaitForNotification();
}

TEST(InterruptsTest, WithoutAHandlerNothingHappens) {
  Interrupts interrupts;
  PressCtrlC();
}

TEST(InterruptsDeathTest, AfterwardsCtrlCEndsTheProcessAgain) {
  EXPECT_EXIT(
      {
        { const Interrupts interrupts; }
        PressCtrlC();
        pause();
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace quire
