#ifndef QUIRE_SCHEDULER_TEXT_ZEPHYR_TEMPLATE_H_
#define QUIRE_SCHEDULER_TEXT_ZEPHYR_TEMPLATE_H_

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scheduler/text/chat_template.h"
#include "scheduler/text/chat_turns.h"

namespace quire {

// <|role|>\ncontent</s>\n for each message (Zephyr, TinyLlama).
class ZephyrTemplate final : public ChatTemplate {
 public:
  // UNIMPLEMENTED: the template lacks such a turn for some role.
  static absl::StatusOr<std::unique_ptr<ChatTemplate>> Create(
      TemplateSource source);

  std::string_view family() const override { return "zephyr"; }
  absl::StatusOr<std::vector<TextSegment>> Render(
      const std::vector<ChatTurn>& turns,
      bool add_generation_prompt) const override;

 private:
  ZephyrTemplate() = default;
  const TemplateForm& FormOf(std::string_view role) const;

  TemplateSource source_;
  TemplateForm system_;
  TemplateForm user_;
  TemplateForm assistant_;
  TemplateForm generation_prompt_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_ZEPHYR_TEMPLATE_H_
