#ifndef QUIRE_CLIENT_LIVE_SCREEN_H_
#define QUIRE_CLIENT_LIVE_SCREEN_H_

#include <termios.h>

#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "client/screen_line.h"
#include "client/top_screen.h"

namespace quire {

// The process's terminal, taken over for as long as this lives: a screen of its
// own, no cursor, and keys that arrive one by one, Ctrl-C too. Draw and
// WaitForKey may be called from different threads.
class LiveScreen {
 public:
  LiveScreen();
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;

  // As the terminal is now: it may have been resized.
  static ScreenSize Size();

  void Draw(const std::vector<ScreenLine>& lines, const ScreenSize& size);

  // The next key's byte, or nothing within `limit`.
  std::optional<char> WaitForKey(absl::Duration limit);

 private:
  termios saved_ = {};
};

}  // namespace quire

#endif  // QUIRE_CLIENT_LIVE_SCREEN_H_
