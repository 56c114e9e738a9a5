#ifndef QUIRE_CLIENT_PLAN_COMMAND_H_
#define QUIRE_CLIENT_PLAN_COMMAND_H_

#include "client/command.h"

namespace quire {

// `quire plan`: how many replicas serve a load within latency targets.
Command PlanCommand();

}  // namespace quire

#endif  // QUIRE_CLIENT_PLAN_COMMAND_H_
