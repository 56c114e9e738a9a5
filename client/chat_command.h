#ifndef QUIRE_CLIENT_CHAT_COMMAND_H_
#define QUIRE_CLIENT_CHAT_COMMAND_H_

#include "client/command.h"

namespace quire {

// `quire chat`: a conversation at the terminal.
Command ChatCommand();

}  // namespace quire

#endif  // QUIRE_CLIENT_CHAT_COMMAND_H_
