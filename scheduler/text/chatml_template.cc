#include "scheduler/text/chatml_template.h"

#include <utility>

#include "absl/status/status.h"
#include "common/status_macros.h"
#include "scheduler/text/segment_builder.h"

namespace quire {
namespace {

using Term = TemplateTerm;

constexpr std::string_view kStart = "<|im_start|>";
constexpr std::string_view kEnd = "<|im_end|>";

bool IsTurn(const TemplateForm& form) {
  return form.Has(Term::Kind::kRole) && form.Has(Term::Kind::kContent) &&
         form.HasText(kStart) && form.HasText(kEnd);
}

// A whole turn that needs nothing of the chat.
bool IsDefaultSystem(const TemplateForm& form) {
  return form.IsLiteral() &&
         form.LeadingText().rfind("<|im_start|>system\n", 0) == 0 &&
         form.HasText(kEnd);
}

bool IsGenerationPrompt(const TemplateForm& form) {
  return form.IsLiteral() &&
         form.LeadingText().rfind("<|im_start|>assistant", 0) == 0 &&
         !form.HasText(kEnd);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChatTemplate>> ChatmlTemplate::Create(
    TemplateSource source) {
  std::unique_ptr<ChatmlTemplate> created(new ChatmlTemplate);
  auto turn = source.Find(IsTurn);
  auto prompt = source.Find(IsGenerationPrompt);
  if (!turn.has_value() || !prompt.has_value() || source.Contains("</think>")) {
    return absl::UnimplementedError(
        "the chat template is a form of chatml that is not known");
  }
  created->turn_ = *std::move(turn);
  created->generation_prompt_ = *std::move(prompt);
  created->default_system_ = source.Find(IsDefaultSystem);
  created->begins_with_bos_ = source.Contains("bos_token");
  created->source_ = std::move(source);
  return created;
}

absl::StatusOr<std::vector<TextSegment>> ChatmlTemplate::Render(
    const std::vector<ChatTurn>& turns, bool add_generation_prompt) const {
  QUIRE_RETURN_IF_ERROR(CheckRoles(turns));
  SegmentBuilder builder({kStart, kEnd}, source_.bos, source_.eos);
  if (begins_with_bos_) builder.AddControl(source_.bos);
  if (default_system_.has_value() && turns[0].role != "system")
    builder.AddForm(*default_system_, {});
  for (const ChatTurn& turn : turns)
    builder.AddForm(turn_, {.role = turn.role, .content = turn.content});
  if (add_generation_prompt) builder.AddForm(generation_prompt_, {});
  return builder.Finish();
}

}  // namespace quire
