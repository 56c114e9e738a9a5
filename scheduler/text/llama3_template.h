#ifndef QUIRE_SCHEDULER_TEXT_LLAMA3_TEMPLATE_H_
#define QUIRE_SCHEDULER_TEXT_LLAMA3_TEMPLATE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scheduler/text/chat_template.h"
#include "scheduler/text/chat_turns.h"

namespace quire {

// <|start_header_id|>role<|end_header_id|>\n\ncontent<|eot_id|> for each
// message (Llama 3). From 3.1 on there always is a system turn, which begins
// with two dates. A template that asks for today's date gets the one that it
// names for want of a clock, so that a prompt is the same every day.
class Llama3Template final : public ChatTemplate {
 public:
  // UNIMPLEMENTED: the template has no such turn.
  static absl::StatusOr<std::unique_ptr<ChatTemplate>> Create(
      TemplateSource source);

  std::string_view family() const override { return "llama-3"; }
  absl::StatusOr<std::vector<TextSegment>> Render(
      const std::vector<ChatTurn>& turns,
      bool add_generation_prompt) const override;

 private:
  Llama3Template() = default;

  TemplateSource source_;
  TemplateForm turn_;
  TemplateForm generation_prompt_;
  bool begins_with_bos_ = false;
  bool always_prompts_ = false;  // The first templates did not ask whether to.
  std::optional<std::string>
      dates_;  // The beginning of the system turn; nullopt: there only is one
               // if the chat has it.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_LLAMA3_TEMPLATE_H_
