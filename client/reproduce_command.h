#ifndef QUIRE_CLIENT_REPRODUCE_COMMAND_H_
#define QUIRE_CLIENT_REPRODUCE_COMMAND_H_

#include "client/command.h"

namespace quire {

// `quire reproduce`: runs the paper's experiments in the simulator and prints
// the figures beside the paper's.
Command ReproduceCommand();

}  // namespace quire

#endif  // QUIRE_CLIENT_REPRODUCE_COMMAND_H_
