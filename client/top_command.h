#ifndef QUIRE_CLIENT_TOP_COMMAND_H_
#define QUIRE_CLIENT_TOP_COMMAND_H_

#include "client/command.h"

namespace quire {

// `quire top`: a live view of the blocks of the KV cache.
Command TopCommand();

}  // namespace quire

#endif  // QUIRE_CLIENT_TOP_COMMAND_H_
