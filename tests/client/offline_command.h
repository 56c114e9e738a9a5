#ifndef QUIRE_TESTS_CLIENT_OFFLINE_COMMAND_H_
#define QUIRE_TESTS_CLIENT_OFFLINE_COMMAND_H_

#include <sstream>
#include <string>
#include <vector>

#include "absl/flags/reflection.h"
#include "client/command_line.h"

namespace quire {

// What a command line of a command that asks no server did.
struct OfflineOutcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

inline OfflineOutcome RunOffline(const Command& command,
                                 const std::vector<std::string>& words) {
  const absl::FlagSaver saver;
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Console console = {.in = in, .out = out, .err = err};
  const int exit_code = RunCommandLine({command}, words, console);
  return {exit_code, out.str(), err.str()};
}

}  // namespace quire

#endif  // QUIRE_TESTS_CLIENT_OFFLINE_COMMAND_H_
