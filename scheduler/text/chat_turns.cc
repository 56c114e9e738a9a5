#include "scheduler/text/chat_turns.h"

#include "absl/strings/str_cat.h"
#include "common/modelfile/error_text.h"
#include "common/status_macros.h"

namespace quire {

absl::Status CheckRoles(const std::vector<ChatTurn>& turns) {
  if (turns.empty())
    return absl::InvalidArgumentError("the chat has no messages");
  for (size_t i = 0; i < turns.size(); ++i) {
    const std::string& role = turns[i].role;
    if (role == "system" || role == "user" || role == "assistant") continue;
    return absl::InvalidArgumentError(
        absl::StrCat("message ", i, " has the role ", Quoted(role),
                     "; system, user and assistant are known"));
  }
  return absl::OkStatus();
}

absl::Status CheckAlternation(const std::vector<ChatTurn>& turns,
                              bool with_system) {
  QUIRE_RETURN_IF_ERROR(CheckRoles(turns));
  const size_t first = with_system && turns[0].role == "system" ? 1 : 0;
  if (first == turns.size()) {
    return absl::InvalidArgumentError(
        "the model's chat template needs a user message after the system "
        "message");
  }
  for (size_t i = first; i < turns.size(); ++i) {
    const char* expected = (i - first) % 2 == 0 ? "user" : "assistant";
    if (turns[i].role == expected) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "message ", i, " has the role ", turns[i].role,
        " where the model's chat template wants ", expected,
        with_system
            ? " (user and assistant take turns after an optional system "
              "message)"
            : " (user and assistant take turns, without a system message)"));
  }
  return absl::OkStatus();
}

}  // namespace quire
