#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tests/client/fake_quire_server.h"

namespace quire {
namespace {

constexpr char kBinary[] = "client/quire";
constexpr absl::Duration kPatience = absl::Seconds(20);

// A `quire` at a terminal of its own, 80 by 24.
class TerminalSession {
 public:
  explicit TerminalSession(std::vector<std::string> words) {
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    winsize size = {.ws_row = 24, .ws_col = 80};
    child_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (child_ == 0) {
      execv(kBinary, argv.data());
      _exit(127);
    }
  }

  ~TerminalSession() {
    close(terminal_);
    if (child_ > 0) Wait();
  }

  void Type(const std::string& keys) {
    EXPECT_EQ(write(terminal_, keys.data(), keys.size()),
              static_cast<ssize_t>(keys.size()));
  }

  // Reads until `text` has come since the last call; false where it does not
  // come.
  bool Shows(const std::string& text) {
    const absl::Time limit = absl::Now() + kPatience;
    while (!absl::StrContains(shown_, text)) {
      if (absl::Now() > limit || !ReadMore()) return false;
    }
    shown_.erase(0, shown_.find(text) + text.size());
    return true;
  }

  // Whether the prompt has come and keys are read one by one. libedit shows the
  // prompt first: a Ctrl-D between the two would be lost on the terminal.
  bool ShowsPrompt() {
    if (!Shows("> ")) return false;
    const absl::Time limit = absl::Now() + kPatience;
    termios modes;
    while (tcgetattr(terminal_, &modes) == 0 && absl::Now() < limit) {
      if ((modes.c_lflag & ICANON) == 0) return true;
      absl::SleepFor(absl::Milliseconds(1));
    }
    return false;
  }

  // The exit code once the command has ended by itself.
  int ExitCode() {
    while (ReadMore()) {
    }
    return Wait();
  }

 private:
  bool ReadMore() {
    pollfd ready = {.fd = terminal_, .events = POLLIN, .revents = 0};
    const int limit_ms = static_cast<int>(kPatience / absl::Milliseconds(1));
    char bytes[4096];
    if (poll(&ready, 1, limit_ms) != 1) return false;
    const ssize_t count = read(terminal_, bytes, sizeof(bytes));
    if (count <= 0) return false;
    shown_.append(bytes, static_cast<size_t>(count));
    return true;
  }

  int Wait() {
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  int terminal_ = -1;
  pid_t child_ = -1;
  std::string shown_;
};

class TerminalSessionTest : public testing::Test {
 protected:
  void SetUp() override {
    int terminal = -1;
    int other_end = -1;
    if (openpty(&terminal, &other_end, nullptr, nullptr, nullptr) != 0) {
      GTEST_SKIP() << "this system has no pseudo-terminals: "
                   << std::strerror(errno);
    }
    close(other_end);
    close(terminal);
  }

  TerminalSession Start(const std::string& command) {
    return TerminalSession({"quire", command, "--server=" + server_.address()});
  }

  FakeQuireServer server_;
};

constexpr char kCtrlC[] = "\x03";
constexpr char kCtrlD[] = "\x04";
constexpr char kUp[] = "\x1b[A";

TEST_F(TerminalSessionTest, ChatAnswersAndCtrlDLeaves) {
  server_.AddText("Good day!");
  server_.AddEnd(quire::v1::FINISH_REASON_STOP, "");
  TerminalSession chat = Start("chat");
  ASSERT_TRUE(chat.ShowsPrompt());
  chat.Type("Hello\r");
  EXPECT_TRUE(chat.Shows("Good day!"));
  EXPECT_TRUE(chat.Shows("9 generated"));
  ASSERT_TRUE(chat.ShowsPrompt());
  chat.Type(kCtrlD);
  EXPECT_EQ(chat.ExitCode(), 0);
  EXPECT_EQ(server_.requests().at(0).chat().messages(0).content(), "Hello");
}

TEST_F(TerminalSessionTest, CtrlCEndsTheAnswerAndNotTheChat) {
  server_.AddText("This may take a wh");
  server_.hang = true;
  TerminalSession chat = Start("chat");
  ASSERT_TRUE(chat.ShowsPrompt());
  chat.Type("Tell me all\r");
  ASSERT_TRUE(chat.Shows("This may take a wh"));
  chat.Type(kCtrlC);
  ASSERT_TRUE(chat.ShowsPrompt());
  chat.Type(kCtrlD);
  EXPECT_EQ(chat.ExitCode(), 0);
}

// libedit takes the prompt for the beginning of a line.
TEST_F(TerminalSessionTest, ThePromptAfterCtrlCBeginsALine) {
  server_.AddText("Once.\n");
  server_.hang = true;
  TerminalSession chat = Start("chat");
  ASSERT_TRUE(chat.ShowsPrompt());
  chat.Type("Tell me all\r");
  ASSERT_TRUE(chat.Shows("Once."));
  chat.Type(kCtrlC);
  EXPECT_TRUE(chat.Shows("^C\r\n\x1b[2minterrupted\x1b[0m\r\n"));
  ASSERT_TRUE(chat.ShowsPrompt());
  chat.Type(kCtrlD);
  EXPECT_EQ(chat.ExitCode(), 0);
}

TEST_F(TerminalSessionTest, CtrlCClearsTheLineThatIsEdited) {
  server_.AddText("Yes.");
  TerminalSession chat = Start("chat");
  ASSERT_TRUE(chat.ShowsPrompt());
  chat.Type(std::string("Never mi") + kCtrlC + "Hello\r");
  ASSERT_TRUE(chat.Shows("Yes."));
  ASSERT_TRUE(chat.ShowsPrompt());
  chat.Type(kCtrlD);
  EXPECT_EQ(chat.ExitCode(), 0);
  EXPECT_EQ(server_.requests().at(0).chat().messages(0).content(), "Hello");
}

TEST_F(TerminalSessionTest, AnErrorLeavesTheChatOpen) {
  server_.generate_status = {grpc::StatusCode::UNAVAILABLE, "no worker"};
  TerminalSession chat = Start("chat");
  ASSERT_TRUE(chat.ShowsPrompt());
  chat.Type("Hello\r");
  EXPECT_TRUE(chat.Shows("UNAVAILABLE: no worker"));
  ASSERT_TRUE(chat.ShowsPrompt());
  chat.Type(kCtrlD);
  EXPECT_EQ(chat.ExitCode(), 0);
}

TEST_F(TerminalSessionTest, ChatEditsLinesOfUtf8AndRemembersThem) {
  server_.AddText("Yes.");
  TerminalSession chat = Start("chat");
  ASSERT_TRUE(chat.ShowsPrompt());
  chat.Type(
      "Gr\xc3\xbc\xc3\x9f"
      "eX\x7f\r");
  ASSERT_TRUE(chat.Shows("Yes."));
  ASSERT_TRUE(chat.ShowsPrompt());
  chat.Type(std::string(kUp) + "!\r");
  ASSERT_TRUE(chat.Shows("Yes."));
  const auto messages = server_.requests().back().chat().messages();
  EXPECT_EQ(messages[0].content(),
            "Gr\xc3\xbc\xc3\x9f"
            "e");
  EXPECT_EQ(messages[2].content(),
            "Gr\xc3\xbc\xc3\x9f"
            "e!");
  ASSERT_TRUE(chat.ShowsPrompt());
  chat.Type(kCtrlD);
  EXPECT_EQ(chat.ExitCode(), 0);
}

TEST_F(TerminalSessionTest, TopShowsTheBlocksAndQLeaves) {
  server_.status.set_ready(true);
  auto& frame = server_.frames.emplace_back();
  frame.set_blocks(std::string("\x3d\x02\x00", 3));
  TerminalSession top = Start("top");
  EXPECT_TRUE(top.Shows("\x1b[?1049h"));
  EXPECT_TRUE(top.Shows("█"));
  top.Type("q");
  EXPECT_TRUE(top.Shows("\x1b[?1049l"));
  EXPECT_EQ(top.ExitCode(), 0);
}

TEST_F(TerminalSessionTest, CtrlCLeavesTopWithTheTerminalRestored) {
  server_.frames.emplace_back();
  TerminalSession top = Start("top");
  EXPECT_TRUE(top.Shows("\x1b[?1049h"));
  top.Type(kCtrlC);
  EXPECT_TRUE(top.Shows("\x1b[?1049l"));
  EXPECT_EQ(top.ExitCode(), 0);
}

}  // namespace
}  // namespace quire
