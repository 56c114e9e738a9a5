#ifndef QUIRE_SCHEDULER_TEXT_CHAT_TURNS_H_
#define QUIRE_SCHEDULER_TEXT_CHAT_TURNS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "scheduler/text/chat_template.h"
#include "scheduler/text/template_form.h"

namespace quire {

// What a family of chat templates is made from.
struct TemplateSource {
  std::string text;
  std::vector<TemplateForm> forms;
  std::string bos;  // The text of the beginning-of-sequence token; empty: there
                    // is none.
  std::string eos;

  bool Contains(std::string_view part) const {
    return text.find(part) != std::string::npos;
  }
  // The first form for which `accepts` is true; nullopt: none.
  template <typename Accepts>
  std::optional<TemplateForm> Find(Accepts accepts) const {
    for (const TemplateForm& form : forms) {
      if (accepts(form)) return form;
    }
    return std::nullopt;
  }
};

// INVALID_ARGUMENT with the index: no messages at all, a role other than
// system, user and assistant.
absl::Status CheckRoles(const std::vector<ChatTurn>& turns);

// Besides: after at most one system message, which only comes first and where
// `with_system`, user and assistant take turns, the user first.
absl::Status CheckAlternation(const std::vector<ChatTurn>& turns,
                              bool with_system);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_CHAT_TURNS_H_
