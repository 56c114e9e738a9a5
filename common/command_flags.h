#ifndef QUIRE_COMMON_COMMAND_FLAGS_H_
#define QUIRE_COMMON_COMMAND_FLAGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace quire {

// Command lines whose flags are abseil's. Its own parser has flags and help of
// its own, and answers a mistake with several lines and the exit code of a
// failure. Flags are the process's: not for two threads at once.

// The exit code where a command line is wrong.
inline constexpr int kUsageError = 2;

// Whether --help or -h stands among `words`, before "--".
bool AsksForHelp(const std::vector<std::string>& words);

// Each flag of `names`, which must exist, with its default and its help.
std::string HelpOnFlags(const std::vector<std::string>& names);

// Sets the flags that `words` give, which must be among `names`, and returns
// the words that are neither flags nor their values. A flag is --NAME=VALUE or
// --NAME VALUE, a bool also --NAME or --noNAME; behind "--" there are none.
// INVALID_ARGUMENT names the flag, the value and what it may be.
absl::StatusOr<std::vector<std::string>> SetFlags(
    const std::vector<std::string>& words,
    const std::vector<std::string>& names);

// A program that takes flags alone.
struct FlagProgram {
  std::string name;                // "quire-worker".
  std::string usage;               // What it does, how it is called; ends in a
                                   // newline.
  std::vector<std::string> flags;  // In the order in which help lists them.
};

// Sets the program's flags from main's arguments. Returns an exit code where
// the program has nothing more to do: 0 after --help, kUsageError after one
// line on standard error that says what is wrong.
std::optional<int> TakeCommandLine(const FlagProgram& program, int argc,
                                   char** argv);

}  // namespace quire

#endif  // QUIRE_COMMON_COMMAND_FLAGS_H_
