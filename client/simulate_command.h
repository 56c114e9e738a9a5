#ifndef QUIRE_CLIENT_SIMULATE_COMMAND_H_
#define QUIRE_CLIENT_SIMULATE_COMMAND_H_

#include "client/command.h"

namespace quire {

// `quire simulate`: plays a trace against a modelled worker and prints the
// figures.
Command SimulateCommand();

}  // namespace quire

#endif  // QUIRE_CLIENT_SIMULATE_COMMAND_H_
