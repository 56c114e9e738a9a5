#ifndef QUIRE_SCHEDULER_GRPC_LOG_H_
#define QUIRE_SCHEDULER_GRPC_LOG_H_

#include "absl/status/status.h"

namespace quire {

// gRPC's log is one of the whole process, and the only place where gRPC tells
// that it lost a port: when it cannot accept a connection, be it for want of
// files, it closes the listener for good and serves on without it.

// From now on gRPC's errors are warnings in our log, and are watched.
void WatchGrpcLog();

// OK, or INTERNAL with the reason: a port takes no more connections. There is
// no way back but another process. Thread-safe.
absl::Status CheckGrpcListeners();

}  // namespace quire

#endif  // QUIRE_SCHEDULER_GRPC_LOG_H_
