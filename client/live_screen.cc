#include "client/live_screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace quire {
namespace {

constexpr char kEnter[] = "\x1b[?1049h\x1b[?25l\x1b[2J";
constexpr char kLeave[] = "\x1b[?25h\x1b[?1049l";
constexpr char kHome[] = "\x1b[H";
constexpr char kClearToLineEnd[] = "\x1b[K";
constexpr char kClearBelow[] = "\x1b[J";

void Put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

LiveScreen::LiveScreen() {
  tcgetattr(STDIN_FILENO, &saved_);
  termios raw = saved_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  Put(kEnter);
}

LiveScreen::~LiveScreen() {
  Put(kLeave);
  tcsetattr(STDIN_FILENO, TCSANOW, &saved_);
}

ScreenSize LiveScreen::Size() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) {
    return {};
  }
  return {.rows = size.ws_row, .columns = size.ws_col};
}

void LiveScreen::Draw(const std::vector<ScreenLine>& lines,
                      const ScreenSize& size) {
  std::string text = kHome;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += "\r\n";
    text += lines[i].Render(size.columns, /*with_styles=*/true);
    text += kClearToLineEnd;
  }
  Put(text + kClearBelow);
}

std::optional<char> LiveScreen::WaitForKey(absl::Duration limit) {
  pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  const int limit_ms = static_cast<int>(absl::ToInt64Milliseconds(limit));
  char key = 0;
  if (poll(&keys, 1, limit_ms) == 1 && read(STDIN_FILENO, &key, 1) == 1) {
    return key;
  }
  return std::nullopt;
}

}  // namespace quire
