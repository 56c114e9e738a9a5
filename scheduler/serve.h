#ifndef QUIRE_SCHEDULER_SERVE_H_
#define QUIRE_SCHEDULER_SERVE_H_

#include "scheduler/server_options.h"

namespace quire {

// The life of the scheduler process: serves until SIGTERM or SIGINT, then
// drains; a second signal ends it at once. Returns the exit code: 0, or 1 with
// one sentence on standard error where the server cannot start. Call from the
// main thread before there are others.
int Serve(const ServerOptions& options);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SERVE_H_
