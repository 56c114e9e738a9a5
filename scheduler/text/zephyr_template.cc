#include "scheduler/text/zephyr_template.h"

#include <utility>

#include "absl/status/status.h"
#include "common/status_macros.h"
#include "scheduler/text/segment_builder.h"

namespace quire {
namespace {

using Term = TemplateTerm;

std::optional<TemplateForm> FindTurn(const TemplateSource& source,
                                     std::string_view marker) {
  return source.Find([&](const TemplateForm& form) {
    return form.Has(Term::Kind::kContent) && form.Has(Term::Kind::kEos) &&
           form.LeadingText().rfind(marker, 0) == 0;
  });
}

bool IsGenerationPrompt(const TemplateForm& form) {
  return form.IsLiteral() && form.LeadingText().rfind("<|assistant|>", 0) == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChatTemplate>> ZephyrTemplate::Create(
    TemplateSource source) {
  auto system = FindTurn(source, "<|system|>");
  auto user = FindTurn(source, "<|user|>");
  auto assistant = FindTurn(source, "<|assistant|>");
  auto prompt = source.Find(IsGenerationPrompt);
  if (!system.has_value() || !user.has_value() || !assistant.has_value() ||
      !prompt.has_value()) {
    return absl::UnimplementedError(
        "the chat template is a form of zephyr that is not known");
  }
  std::unique_ptr<ZephyrTemplate> created(new ZephyrTemplate);
  created->system_ = *std::move(system);
  created->user_ = *std::move(user);
  created->assistant_ = *std::move(assistant);
  created->generation_prompt_ = *std::move(prompt);
  created->source_ = std::move(source);
  return created;
}

const TemplateForm& ZephyrTemplate::FormOf(std::string_view role) const {
  return role == "system" ? system_ : role == "user" ? user_ : assistant_;
}

absl::StatusOr<std::vector<TextSegment>> ZephyrTemplate::Render(
    const std::vector<ChatTurn>& turns, bool add_generation_prompt) const {
  QUIRE_RETURN_IF_ERROR(CheckRoles(turns));
  SegmentBuilder builder({"<|system|>", "<|user|>", "<|assistant|>"},
                         source_.bos, source_.eos);
  for (const ChatTurn& turn : turns) {
    builder.AddForm(FormOf(turn.role),
                    {.role = turn.role, .content = turn.content});
  }
  if (add_generation_prompt) builder.AddForm(generation_prompt_, {});
  return builder.Finish();
}

}  // namespace quire
