#ifndef QUIRE_CLIENT_TOKENIZE_COMMAND_H_
#define QUIRE_CLIENT_TOKENIZE_COMMAND_H_

#include "client/command.h"

namespace quire {

// `quire tokenize [TEXT]`: the token ids of a text.
Command TokenizeCommand();

}  // namespace quire

#endif  // QUIRE_CLIENT_TOKENIZE_COMMAND_H_
