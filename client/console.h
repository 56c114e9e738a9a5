#ifndef QUIRE_CLIENT_CONSOLE_H_
#define QUIRE_CLIENT_CONSOLE_H_

#include <istream>
#include <ostream>

#include "absl/status/status.h"

namespace quire {

// Where a command reads and writes: the process's own streams, or a test's
// strings. Owns nothing.
struct Console {
  std::istream& in;
  std::ostream& out;  // What the user asked for.
  std::ostream& err;  // What is said about it: progress and errors.
  // Whether a person is at the other end.
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
};

// Sends on what was written to console.out. DATA_LOSS where some of it could
// not be written, now or before.
absl::Status FlushOutput(Console& console);

}  // namespace quire

#endif  // QUIRE_CLIENT_CONSOLE_H_
