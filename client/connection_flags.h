#ifndef QUIRE_CLIENT_CONNECTION_FLAGS_H_
#define QUIRE_CLIENT_CONNECTION_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/server_connection.h"

namespace quire {

// The flags that every command has.

// `flags` and behind them --server, --deadline and --json.
std::vector<std::string> WithConnectionFlags(std::vector<std::string> flags);

// The server that --server names. INVALID_ARGUMENT: it is the default one, and
// QUIRE_PORT is no port.
absl::StatusOr<ServerConnection> ConnectionFromFlags();

// How long a call may take: --deadline.
absl::Duration CallLimitFromFlags();

// Whether the output is for programs: --json.
bool JsonFromFlags();

}  // namespace quire

#endif  // QUIRE_CLIENT_CONNECTION_FLAGS_H_
