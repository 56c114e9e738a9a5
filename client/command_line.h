#ifndef QUIRE_CLIENT_COMMAND_LINE_H_
#define QUIRE_CLIENT_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "client/command.h"
#include "client/console.h"

namespace quire {

// Runs one command line, without the program's name: `help`, or one of
// `commands` with its flags. Says on console.err, in one sentence, what went
// wrong. Returns the exit code: 0, or 1 after an error, or 2 where the command
// line itself is wrong. A flag that no command knows ends the process with 1.
//
// Flags are the process's own: not for two threads at once.
int RunCommandLine(const std::vector<Command>& commands,
                   const std::vector<std::string>& words, Console& console);

}  // namespace quire

#endif  // QUIRE_CLIENT_COMMAND_LINE_H_
