#ifndef QUIRE_SCHEDULER_LISTEN_ADDRESS_H_
#define QUIRE_SCHEDULER_LISTEN_ADDRESS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace quire {

// Where a server listens. Plain data.
struct ListenAddress {
  std::string host;       // Without brackets. Empty for a Unix socket.
  uint16_t port = 0;      // 0: the system chooses one.
  std::string unix_path;  // Not empty: a Unix socket.

  // "host:port", "[host]:port" or "unix:path". INVALID_ARGUMENT says which is
  // expected.
  static absl::StatusOr<ListenAddress> Parse(const std::string& text);

  // What Parse takes, and what gRPC does.
  std::string ToString() const;

  // Binds and lets go again, because servers only say that they failed.
  // UNAVAILABLE names the address and the system's reason.
  absl::Status CheckCanListen() const;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_LISTEN_ADDRESS_H_
