#include "client/tokenize_command.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "client/connection_flags.h"
#include "client/json_fields.h"
#include "client/json_lines.h"
#include "client/message_json.h"
#include "client/prompt_flags.h"
#include "common/status_macros.h"

namespace quire {
namespace {

using quire::v1::TokenizeRequest;
using quire::v1::TokenizeResponse;

constexpr char kDetails[] =
    "TEXT is a text, or - to read it from standard input.\n\n"
    "With --json and no TEXT, each line of standard input is {\"text\": ...}\n"
    "and is answered by a line {\"ids\": [...]}.\n";

absl::StatusOr<TokenizeResponse> Ask(const ServerConnection& server,
                                     const std::string& text) {
  TokenizeRequest request;
  request.set_text(text);
  request.set_parse_special(ParseSpecialFromFlags());
  request.set_add_special(AddSpecialFromFlags());
  grpc::ClientContext context;
  LimitCall(context, CallLimitFromFlags());
  TokenizeResponse response;
  const grpc::Status status =
      server.stub().Tokenize(&context, request, &response);
  QUIRE_RETURN_IF_ERROR(server.ToStatus(status, context));
  return response;
}

std::string AnswerLine(const TokenizeResponse& response) {
  if (!JsonFromFlags()) return absl::StrJoin(response.ids(), " ");
  return ToLine(nlohmann::ordered_json{{"ids", response.ids()}});
}

absl::Status Answer(const ServerConnection& server, const std::string& text,
                    Console& console) {
  QUIRE_ASSIGN_OR_RETURN(const TokenizeResponse response, Ask(server, text));
  console.out << AnswerLine(response) << "\n";
  return FlushOutput(console);
}

absl::Status AnswerLines(const ServerConnection& server, Console& console) {
  return ForEachJsonLine(
      console.in, [&](const nlohmann::json& line) -> absl::Status {
        QUIRE_ASSIGN_OR_RETURN(const std::string text, TextField(line, "text"));
        return Answer(server, text, console);
      });
}

absl::Status Tokenize(const std::vector<std::string>& arguments,
                      Console& console) {
  QUIRE_ASSIGN_OR_RETURN(const ServerConnection server, ConnectionFromFlags());
  if (arguments.empty() && JsonFromFlags()) {
    return AnswerLines(server, console);
  }
  QUIRE_ASSIGN_OR_RETURN(const std::string text,
                         TextArgument(arguments, console.in));
  return Answer(server, text, console);
}

}  // namespace

Command TokenizeCommand() {
  return {"tokenize",
          "[TEXT]",
          "prints the token ids of a text",
          kDetails,
          WithConnectionFlags({"parse_special", "add_special"}),
          Tokenize};
}

}  // namespace quire
