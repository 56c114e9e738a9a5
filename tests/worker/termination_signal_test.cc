#include "worker/termination_signal.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

// Each case runs in a process of its own and says how that ends.
class TerminationSignalTest : public testing::Test {
 protected:
  TerminationSignalTest() {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
  }

  static void SendAndWait(int signal) {
    kill(getpid(), signal);
    pause();
  }
};

TEST_F(TerminationSignalTest, FirstSignalCallsTheHandler) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const auto run = [signal] {
      TerminationSignal termination;
      absl::Notification called;
      termination.SetHandler([&called] { called.Notify(); });
      kill(getpid(), signal);
      called.WaitForNotification();
      std::_Exit(17);
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(17), "");
  }
}

TEST_F(TerminationSignalTest, SignalBeforeThereIsAHandlerEndsTheProcess) {
  const auto run = [] {
    TerminationSignal termination;
    SendAndWait(SIGTERM);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

TEST_F(TerminationSignalTest, SecondSignalEndsTheProcessAtOnce) {
  const auto run = [] {
    TerminationSignal termination;
    termination.SetHandler([] { kill(getpid(), SIGTERM); });
    SendAndWait(SIGINT);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(128 + SIGTERM), "");
}

TEST_F(TerminationSignalTest, ObjectGoesWithoutASignal) {
  const auto run = [] {
    {
      TerminationSignal termination;
      termination.SetHandler([] { std::_Exit(1); });
    }
    std::_Exit(5);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(5), "");
}

}  // namespace
}  // namespace quire
