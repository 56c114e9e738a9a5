#include "client/chat_session.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/utf8_text.h"
#include "common/status_macros.h"

namespace quire {
namespace {

constexpr char kHelp[] =
    "/system TEXT  sets the system message\n"
    "/reset        begins a new conversation\n"
    "Ctrl-C        ends the running answer\n"
    "Ctrl-D        leaves\n";

void AddMessage(const std::string& role, const std::string& content,
                quire::v1::Chat& chat) {
  quire::v1::ChatMessage& message = *chat.add_messages();
  message.set_role(role);
  message.set_content(content);
}

}  // namespace

ChatSession::ChatSession(quire::v1::GenerateRequest options, std::string system,
                         Ask ask, Tell tell)
    : request_(std::move(options)),
      system_(std::move(system)),
      ask_(std::move(ask)),
      tell_(std::move(tell)) {
  Reset();
}

absl::Status ChatSession::Take(const std::string& line) {
  if (absl::StripAsciiWhitespace(line).empty()) return absl::OkStatus();
  if (line.front() == '/') {
    Command(line);
    return absl::OkStatus();
  }
  QUIRE_RETURN_IF_ERROR(CheckUtf8(line));
  quire::v1::Chat& chat = *request_.mutable_chat();
  AddMessage("user", line, chat);
  std::string answer;
  const absl::Status status = ask_(request_, answer);
  if (!status.ok() && !absl::IsCancelled(status)) {
    chat.mutable_messages()->RemoveLast();
    return status;
  }
  AddMessage("assistant", answer, chat);
  return absl::OkStatus();
}

void ChatSession::Command(const std::string& line) {
  const std::pair<std::string, std::string> words =
      absl::StrSplit(line, absl::MaxSplits(' ', 1));
  if (words.first == "/system") {
    system_ = std::string(absl::StripAsciiWhitespace(words.second));
    Reset();
    tell_("The system message is set; the conversation begins anew.\n");
  } else if (words.first == "/reset") {
    Reset();
    tell_("The conversation begins anew.\n");
  } else if (words.first == "/help") {
    tell_(kHelp);
  } else {
    tell_(absl::StrCat("No command ", words.first, ".\n", kHelp));
  }
}

void ChatSession::Reset() {
  quire::v1::Chat& chat = *request_.mutable_chat();
  chat.clear_messages();
  if (!system_.empty()) AddMessage("system", system_, chat);
}

}  // namespace quire
