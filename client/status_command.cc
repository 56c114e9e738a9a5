#include "client/status_command.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/connection_flags.h"
#include "client/message_json.h"
#include "client/server_facts.h"
#include "client/status_text.h"
#include "common/status_macros.h"

namespace quire {
namespace {

constexpr char kDetails[] =
    "With --json: the fields of quire.v1.StatusResponse, and `model` with "
    "those\nof GetModelResponse.\n";

std::string StatusJson(const ServerFacts& facts) {
  nlohmann::ordered_json json = MessageToJson(facts.status);
  json["model"] = MessageToJson(facts.model);
  return ToLine(json) + "\n";
}

absl::Status Status(const std::vector<std::string>&, Console& console) {
  QUIRE_ASSIGN_OR_RETURN(const ServerConnection server, ConnectionFromFlags());
  QUIRE_ASSIGN_OR_RETURN(const ServerFacts facts,
                         AskServer(server, CallLimitFromFlags()));
  console.out << (JsonFromFlags() ? StatusJson(facts) : StatusText(facts));
  return absl::OkStatus();
}

}  // namespace

Command StatusCommand() {
  return {"status",
          "",
          "shows how busy the server is",
          kDetails,
          WithConnectionFlags({}),
          Status};
}

}  // namespace quire
