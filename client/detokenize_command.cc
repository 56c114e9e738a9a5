#include "client/detokenize_command.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "client/connection_flags.h"
#include "client/json_fields.h"
#include "client/json_lines.h"
#include "client/list_flags.h"
#include "client/message_json.h"
#include "client/prompt_flags.h"
#include "common/status_macros.h"

namespace quire {
namespace {

constexpr char kDetails[] =
    "IDS are token ids with blanks or commas between them, or - to read them\n"
    "from standard input.\n\n"
    "With --json and no IDS, each line of standard input is {\"ids\": [...]}\n"
    "and is answered by a line {\"text\": ...}.\n";

absl::StatusOr<std::string> Ask(const ServerConnection& server,
                                const std::vector<Token>& ids) {
  quire::v1::DetokenizeRequest request;
  request.mutable_ids()->Assign(ids.begin(), ids.end());
  grpc::ClientContext context;
  LimitCall(context, CallLimitFromFlags());
  quire::v1::DetokenizeResponse response;
  const grpc::Status status =
      server.stub().Detokenize(&context, request, &response);
  QUIRE_RETURN_IF_ERROR(server.ToStatus(status, context));
  return response.text();
}

absl::Status Answer(const ServerConnection& server,
                    const std::vector<Token>& ids, Console& console) {
  QUIRE_ASSIGN_OR_RETURN(const std::string text, Ask(server, ids));
  console.out << (JsonFromFlags()
                      ? ToLine(nlohmann::ordered_json{{"text", text}})
                      : text)
              << "\n";
  return FlushOutput(console);
}

absl::Status AnswerLines(const ServerConnection& server, Console& console) {
  return ForEachJsonLine(console.in,
                         [&](const nlohmann::json& line) -> absl::Status {
                           QUIRE_ASSIGN_OR_RETURN(const std::vector<Token> ids,
                                                  TokenIdsField(line, "ids"));
                           return Answer(server, ids, console);
                         });
}

// The ids of a text such as "1 2,3".
absl::StatusOr<std::vector<Token>> ParseIds(std::string text) {
  for (char& c : text) {
    if (absl::ascii_isspace(c)) c = ',';
  }
  TokenIdList list;
  std::string error;
  if (!AbslParseFlag(text, &list, &error)) {
    return absl::InvalidArgumentError(error);
  }
  return list.ids;
}

absl::Status Detokenize(const std::vector<std::string>& arguments,
                        Console& console) {
  QUIRE_ASSIGN_OR_RETURN(const ServerConnection server, ConnectionFromFlags());
  if (arguments.empty() && JsonFromFlags()) {
    return AnswerLines(server, console);
  }
  std::vector<std::string> joined;
  if (!arguments.empty()) joined.push_back(absl::StrJoin(arguments, " "));
  QUIRE_ASSIGN_OR_RETURN(const std::string text,
                         TextArgument(joined, console.in));
  QUIRE_ASSIGN_OR_RETURN(const std::vector<Token> ids, ParseIds(text));
  return Answer(server, ids, console);
}

}  // namespace

Command DetokenizeCommand() {
  return {"detokenize",
          "[IDS]",
          "prints the text of token ids",
          kDetails,
          WithConnectionFlags({}),
          Detokenize};
}

}  // namespace quire
