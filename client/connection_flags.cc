#include "client/connection_flags.h"

#include <string>
#include <vector>

#include "absl/flags/flag.h"

ABSL_FLAG(std::string, server, "127.0.0.1:8300", "HOST:PORT of the server.");
ABSL_FLAG(absl::Duration, deadline, absl::InfiniteDuration(),
          "How long a call may take, such as 30s or 500ms.");
ABSL_FLAG(bool, json, false, "Writes JSON, one value a line, for programs.");

namespace quire {

std::vector<std::string> WithConnectionFlags(std::vector<std::string> flags) {
  flags.insert(flags.end(), {"server", "deadline", "json"});
  return flags;
}

ServerConnection ConnectionFromFlags() {
  return ServerConnection(absl::GetFlag(FLAGS_server));
}

absl::Duration CallLimitFromFlags() { return absl::GetFlag(FLAGS_deadline); }

bool JsonFromFlags() { return absl::GetFlag(FLAGS_json); }

}  // namespace quire
