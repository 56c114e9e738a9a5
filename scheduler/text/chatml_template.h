#ifndef QUIRE_SCHEDULER_TEXT_CHATML_TEMPLATE_H_
#define QUIRE_SCHEDULER_TEXT_CHATML_TEMPLATE_H_

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scheduler/text/chat_template.h"
#include "scheduler/text/chat_turns.h"

namespace quire {

// <|im_start|>role\ncontent<|im_end|>\n for each message (SmolLM, Qwen2 and
// many others). A system turn that the template holds ready is put first where
// the chat does not begin with one of its own.
class ChatmlTemplate final : public ChatTemplate {
 public:
  // UNIMPLEMENTED: the template has no such turn, or treats thoughts apart.
  static absl::StatusOr<std::unique_ptr<ChatTemplate>> Create(
      TemplateSource source);

  std::string_view family() const override { return "chatml"; }
  absl::StatusOr<std::vector<TextSegment>> Render(
      const std::vector<ChatTurn>& turns,
      bool add_generation_prompt) const override;

 private:
  ChatmlTemplate() = default;

  TemplateSource source_;
  TemplateForm turn_;
  std::optional<TemplateForm> default_system_;
  TemplateForm generation_prompt_;
  bool begins_with_bos_ = false;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_CHATML_TEMPLATE_H_
