#include "client/prompt_flags.h"

#include <istream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "client/command_line_error.h"
#include "client/list_flags.h"
#include "client/utf8_text.h"
#include "common/status_macros.h"

ABSL_FLAG(quire::TokenIdList, token_ids, {},
          "The prompt as token ids instead of text: 1,2,3.");
ABSL_FLAG(
    bool, chat, false,
    "Sends the prompt as a user's message, in the model's chat template.");
ABSL_FLAG(std::string, system, "", "What the system message of a chat says.");
ABSL_FLAG(bool, parse_special, true,
          "Reads text such as <|im_end|> as that special token.");
ABSL_FLAG(bool, add_special, true,
          "Lets the model's own rule put a beginning-of-sequence token first.");

namespace quire {
namespace {

void AddMessage(const std::string& role, const std::string& content,
                quire::v1::Chat& chat) {
  quire::v1::ChatMessage& message = *chat.add_messages();
  message.set_role(role);
  message.set_content(content);
}

void SetChat(const std::string& text, quire::v1::Chat& chat) {
  const std::string system = SystemMessageFromFlags();
  if (!system.empty()) AddMessage("system", system, chat);
  AddMessage("user", text, chat);
}

}  // namespace

std::vector<std::string> PromptFlagNames() {
  return {"chat", "system", "token_ids", "parse_special", "add_special"};
}

absl::StatusOr<std::string> TextArgument(
    const std::vector<std::string>& arguments, std::istream& in) {
  if (arguments.empty()) {
    return CommandLineError(
        "the text is missing; - reads it from standard input");
  }
  if (arguments.size() > 1) {
    return CommandLineError("there is more than one text; put it in quotes");
  }
  std::string text = arguments[0] == "-"
                         ? std::string(std::istreambuf_iterator<char>(in), {})
                         : arguments[0];
  QUIRE_RETURN_IF_ERROR(CheckUtf8(text));
  return text;
}

namespace {

absl::Status SetTokens(const TokenIdList& tokens,
                       const std::vector<std::string>& arguments,
                       quire::v1::GenerateRequest& request) {
  if (!arguments.empty()) {
    return CommandLineError(
        "the prompt is given twice, as text and as --token_ids");
  }
  if (absl::GetFlag(FLAGS_chat)) {
    return CommandLineError(
        "--chat makes a message of a text, not of --token_ids");
  }
  request.mutable_token_ids()->mutable_ids()->Assign(tokens.ids.begin(),
                                                     tokens.ids.end());
  return absl::OkStatus();
}

}  // namespace

absl::Status SetPrompt(const std::vector<std::string>& arguments,
                       std::istream& in, quire::v1::GenerateRequest& request) {
  if (!SystemMessageFromFlags().empty() && !absl::GetFlag(FLAGS_chat)) {
    return CommandLineError("--system is for a chat: add --chat");
  }
  const TokenIdList tokens = absl::GetFlag(FLAGS_token_ids);
  if (!tokens.ids.empty()) return SetTokens(tokens, arguments, request);
  QUIRE_ASSIGN_OR_RETURN(const std::string text, TextArgument(arguments, in));
  if (absl::GetFlag(FLAGS_chat)) {
    SetChat(text, *request.mutable_chat());
    return absl::OkStatus();
  }
  request.set_text(text);
  request.set_parse_special(ParseSpecialFromFlags());
  request.set_add_special(AddSpecialFromFlags());
  return absl::OkStatus();
}

std::string SystemMessageFromFlags() { return absl::GetFlag(FLAGS_system); }

bool ParseSpecialFromFlags() { return absl::GetFlag(FLAGS_parse_special); }

bool AddSpecialFromFlags() { return absl::GetFlag(FLAGS_add_special); }

}  // namespace quire
