#ifndef QUIRE_CLIENT_COMMAND_LINE_H_
#define QUIRE_CLIENT_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "client/command.h"
#include "client/console.h"

namespace quire {

// Runs one command line, without the program's name: `help`, or one of
// `commands` with its flags. Says on console.err, in one line, what went wrong.
// Returns the exit code: 0, or 1 after an error or where console.out cannot be
// written, or 2 where the command line itself is wrong.
//
// Flags are the process's own: not for two threads at once.
int RunCommandLine(const std::vector<Command>& commands,
                   const std::vector<std::string>& words, Console& console);

}  // namespace quire

#endif  // QUIRE_CLIENT_COMMAND_LINE_H_
