#include "client/connection_flags.h"

#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "client/server_address.h"

ABSL_FLAG(quire::ServerAddress, server, {.text = "127.0.0.1:8300"},
          "Where the server is: HOST:PORT or unix:PATH.");
ABSL_FLAG(absl::Duration, deadline, absl::InfiniteDuration(),
          "How long a call may take, such as 30s or 500ms; inf = no limit.");
ABSL_FLAG(bool, json, false, "Writes JSON, one value a line, for programs.");

namespace quire {

std::vector<std::string> WithConnectionFlags(std::vector<std::string> flags) {
  flags.insert(flags.end(), {"server", "deadline", "json"});
  return flags;
}

ServerConnection ConnectionFromFlags() {
  return ServerConnection(absl::GetFlag(FLAGS_server).text);
}

absl::Duration CallLimitFromFlags() { return absl::GetFlag(FLAGS_deadline); }

bool JsonFromFlags() { return absl::GetFlag(FLAGS_json); }

}  // namespace quire
