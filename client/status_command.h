#ifndef QUIRE_CLIENT_STATUS_COMMAND_H_
#define QUIRE_CLIENT_STATUS_COMMAND_H_

#include "client/command.h"

namespace quire {

// `quire status`: how busy the server is.
Command StatusCommand();

}  // namespace quire

#endif  // QUIRE_CLIENT_STATUS_COMMAND_H_
