#ifndef QUIRE_CLIENT_DETOKENIZE_COMMAND_H_
#define QUIRE_CLIENT_DETOKENIZE_COMMAND_H_

#include "client/command.h"

namespace quire {

// `quire detokenize [IDS]`: the text of token ids.
Command DetokenizeCommand();

}  // namespace quire

#endif  // QUIRE_CLIENT_DETOKENIZE_COMMAND_H_
