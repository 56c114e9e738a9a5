#ifndef QUIRE_CLIENT_COMMAND_HELP_H_
#define QUIRE_CLIENT_COMMAND_HELP_H_

#include <string>
#include <vector>

#include "client/command.h"

namespace quire {

// The text of `quire help`: every command with its summary.
std::string HelpOnCommands(const std::vector<Command>& commands);

// The text of `quire help COMMAND`: usage, details, and each flag with its
// default and its help.
std::string HelpOnCommand(const Command& command);

}  // namespace quire

#endif  // QUIRE_CLIENT_COMMAND_HELP_H_
