#ifndef QUIRE_SCHEDULER_ADMIN_ADMIN_SERVER_H_
#define QUIRE_SCHEDULER_ADMIN_ADMIN_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace quire {

// What the admin port tells. Called by its threads, several at a time; must
// return soon.
struct AdminSources {
  std::function<std::string()> metrics;  // Text exposition format 0.0.4.
  std::function<absl::Status()> alive;   // OK, or why the process is no good.
  std::function<absl::Status()> ready;   // OK, or why it takes no work.
  std::function<void()> drop_prefixes;   // Forgets what is cached.
};

// Plain HTTP for Prometheus and for probes, which know no gRPC or TLS:
//
//   /metrics  200
//   /livez    200 "alive", or 503 and the reason
//   /readyz   200 "ready", or 503 and the reason
//   POST /drop_prefixes  200; cached prefixes are found no more
//
// One request a connection. Owns a few threads; a client holds one for two
// seconds at most, in whatever way it dawdles.
class AdminServer {
 public:
  // `address`: "host:port"; port 0 lets the system choose. INVALID_ARGUMENT: no
  // such address; UNAVAILABLE: it cannot be listened on, and why.
  static absl::StatusOr<std::unique_ptr<AdminServer>> Listen(
      const std::string& address, AdminSources sources);
  // Waits for answers under way, two seconds at most.
  ~AdminServer();

  // With the port that was chosen.
  const std::string& address() const;

 private:
  struct State;
  explicit AdminServer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;  // Keeps the HTTP library out of this header.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ADMIN_ADMIN_SERVER_H_
