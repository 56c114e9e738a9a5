#include "client/command_help.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/command_flags.h"

namespace quire {

std::string HelpOnCommands(const std::vector<Command>& commands) {
  std::string text =
      "quire talks to a Quire server.\n\nUsage: quire COMMAND [ARGUMENTS] "
      "[--FLAG=VALUE ...]\n\nCommands:\n";
  for (const Command& command : commands) {
    const std::string padding(12 - command.name.size(), ' ');
    absl::StrAppend(&text, "  ", command.name, padding, command.summary, "\n");
  }
  absl::StrAppend(&text,
                  "\nquire help COMMAND tells more about one.\n\n"
                  "Exit status: 0; 1 after an error; 2 where the command line "
                  "is wrong.\n");
  return text;
}

std::string HelpOnCommand(const Command& command) {
  const std::string arguments =
      command.arguments.empty() ? "" : absl::StrCat(" ", command.arguments);
  std::string text = absl::StrCat("quire ", command.name, " ", command.summary,
                                  ".\n\nUsage: quire ", command.name, arguments,
                                  " [FLAGS]\n\n");
  if (!command.details.empty()) absl::StrAppend(&text, command.details, "\n");
  return text + HelpOnFlags(command.flags);
}

}  // namespace quire
