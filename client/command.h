#ifndef QUIRE_CLIENT_COMMAND_H_
#define QUIRE_CLIENT_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/console.h"

namespace quire {

// One word after `quire`: what it is called, what help says about it, which
// flags it takes and what it does.
struct Command {
  std::string name;       // "generate".
  std::string arguments;  // "[PROMPT]"; empty where it takes none: the command
                          // line is refused if it has some.
  std::string summary;    // One line without a full stop.
  std::string details;    // What a user needs beyond the flags; ends in a
                          // newline. May be empty.
  std::vector<std::string>
      flags;  // Names, in the order in which help lists them.
  // Gets what stands on the command line beside flags. Flags are parsed before.
  // An error's message is shown to the user as it is; after a CommandLineError
  // with a pointer to the command's help.
  absl::Status (*run)(const std::vector<std::string>& arguments,
                      Console& console) = nullptr;
};

}  // namespace quire

#endif  // QUIRE_CLIENT_COMMAND_H_
