#ifndef QUIRE_SCHEDULER_TEXT_INST_TEMPLATE_H_
#define QUIRE_SCHEDULER_TEXT_INST_TEMPLATE_H_

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scheduler/text/chat_template.h"
#include "scheduler/text/chat_turns.h"

namespace quire {

// [INST] user [/INST] assistant</s>, where user and assistant take turns: Llama
// 2, which puts the system message between
// <<SYS>> and <</SYS>> into the first user message, and Mistral's versions,
// which differ in blanks, in whether there is a system message, and in whether
// it goes into the first user message or the last. All that is read off the
// template.
class InstTemplate final : public ChatTemplate {
 public:
  // UNIMPLEMENTED: the template has no such turns, or a system prompt of its
  // own kind ([SYSTEM_PROMPT]).
  static absl::StatusOr<std::unique_ptr<ChatTemplate>> Create(
      TemplateSource source);

  std::string_view family() const override {
    return wraps_system_ ? "llama-2" : "mistral";
  }
  absl::StatusOr<std::vector<TextSegment>> Render(
      const std::vector<ChatTurn>& turns,
      bool add_generation_prompt) const override;

 private:
  InstTemplate() = default;

  TemplateSource source_;
  TemplateForm user_;
  TemplateForm assistant_;
  std::optional<TemplateForm> with_system_;  // A user turn with the system
                                             // message, or only its content.
  bool wraps_system_ = false;                // The latter (Llama 2).
  bool system_goes_last_ =
      false;                      // Into the last message, if it is the user's.
  bool begins_with_bos_ = false;  // Before the first turn, not in each.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_INST_TEMPLATE_H_
