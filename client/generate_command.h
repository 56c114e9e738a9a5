#ifndef QUIRE_CLIENT_GENERATE_COMMAND_H_
#define QUIRE_CLIENT_GENERATE_COMMAND_H_

#include "client/command.h"

namespace quire {

// `quire generate [PROMPT]`: streams a continuation of the prompt.
Command GenerateCommand();

}  // namespace quire

#endif  // QUIRE_CLIENT_GENERATE_COMMAND_H_
