#include "client/connection_flags.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "client/command_line_error.h"
#include "client/server_address.h"
#include "common/status_macros.h"

namespace quire {
namespace {

// On this machine, at the port that QUIRE_PORT gives for deploy/local too.
ServerAddress DefaultServer() {
  const char* port = std::getenv("QUIRE_PORT");
  const bool is_given = port != nullptr && *port != '\0';
  return {.text = absl::StrCat("127.0.0.1:", is_given ? port : "8300")};
}

}  // namespace
}  // namespace quire

ABSL_FLAG(quire::ServerAddress, server, quire::DefaultServer(),
          "Where the server is: HOST:PORT or unix:PATH. Without it: this "
          "machine's port $QUIRE_PORT, or 8300.");
ABSL_FLAG(absl::Duration, deadline, absl::InfiniteDuration(),
          "How long a call may take, such as 30s or 500ms; inf = no limit.");
ABSL_FLAG(bool, json, false, "Writes JSON, one value a line, for programs.");

namespace quire {
namespace {

// An address that no --server would be is one made of QUIRE_PORT.
absl::Status CheckDefault(const ServerAddress& server) {
  ServerAddress parsed;
  std::string error;
  if (AbslParseFlag(server.text, &parsed, &error)) return absl::OkStatus();
  return CommandLineError(absl::StrCat("the variable QUIRE_PORT is \"",
                                       std::getenv("QUIRE_PORT"),
                                       "\", must be a port, 1 to 65535"));
}

}  // namespace

std::vector<std::string> WithConnectionFlags(std::vector<std::string> flags) {
  flags.insert(flags.end(), {"server", "deadline", "json"});
  return flags;
}

absl::StatusOr<ServerConnection> ConnectionFromFlags() {
  const ServerAddress server = absl::GetFlag(FLAGS_server);
  QUIRE_RETURN_IF_ERROR(CheckDefault(server));
  return ServerConnection(server.text);
}

absl::Duration CallLimitFromFlags() { return absl::GetFlag(FLAGS_deadline); }

bool JsonFromFlags() { return absl::GetFlag(FLAGS_json); }

}  // namespace quire
