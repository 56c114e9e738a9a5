#include "scheduler/text/inst_template.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "common/status_macros.h"
#include "scheduler/text/segment_builder.h"

namespace quire {
namespace {

using Term = TemplateTerm;

constexpr std::string_view kInst = "[INST]";
constexpr std::string_view kInstEnd = "[/INST]";

bool IsUserTurn(const TemplateForm& form) {
  return form.Has(Term::Kind::kContent) && form.HasText(kInst) &&
         form.HasText(kInstEnd) && !form.Has(Term::Kind::kSystem);
}

bool IsAssistantTurn(const TemplateForm& form) {
  return form.Has(Term::Kind::kContent) && form.Has(Term::Kind::kEos) &&
         !form.HasText(kInst);
}

bool HasSystem(const TemplateForm& form) {
  return form.Has(Term::Kind::kContent) && form.Has(Term::Kind::kSystem) &&
         (form.HasText(kInst) || form.HasText("<<SYS>>"));
}

bool IsBos(const TemplateForm& form) {
  return form.variable.empty() && !form.terms.empty() &&
         form.terms[0].kind == Term::Kind::kBos &&
         !form.Has(Term::Kind::kContent);
}

// The content of a form as plain text, with the values in place.
std::string Fill(const TemplateForm& form, const TurnValues& values) {
  SegmentBuilder builder({}, "", "");
  builder.AddForm(form, values);
  std::string text;
  for (const TextSegment& segment : builder.Finish()) text += segment.text;
  return text;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChatTemplate>> InstTemplate::Create(
    TemplateSource source) {
  std::unique_ptr<InstTemplate> created(new InstTemplate);
  auto user = source.Find(IsUserTurn);
  auto assistant = source.Find(IsAssistantTurn);
  created->with_system_ = source.Find(HasSystem);
  created->wraps_system_ = source.Contains("<<SYS>>");
  const bool lacks_system =
      created->wraps_system_ && !created->with_system_.has_value();
  if (!user.has_value() || !assistant.has_value() || lacks_system ||
      source.Contains("[SYSTEM_PROMPT]")) {
    return absl::UnimplementedError(
        "the chat template is a form of llama-2 or mistral that is not known");
  }
  created->user_ = *std::move(user);
  created->assistant_ = *std::move(assistant);
  created->begins_with_bos_ = source.Find(IsBos).has_value();
  created->system_goes_last_ =
      created->with_system_.has_value() &&
      created->with_system_->guard.find("loop.last") != std::string::npos;
  created->source_ = std::move(source);
  return created;
}

absl::StatusOr<std::vector<TextSegment>> InstTemplate::Render(
    const std::vector<ChatTurn>& turns, bool /*add_generation_prompt*/) const {
  QUIRE_RETURN_IF_ERROR(CheckAlternation(turns, with_system_.has_value()));
  const bool has_system = turns[0].role == "system";
  const std::string_view system =
      has_system ? std::string_view(turns[0].content) : std::string_view();
  const size_t first = has_system ? 1 : 0;
  const size_t system_turn = system_goes_last_ ? turns.size() - 1 : first;

  SegmentBuilder builder({kInst, kInstEnd}, source_.bos, source_.eos);
  if (begins_with_bos_) builder.AddControl(source_.bos);
  for (size_t i = first; i < turns.size(); ++i) {
    const TurnValues values{
        .role = turns[i].role, .content = turns[i].content, .system = system};
    if (turns[i].role == "assistant") {
      builder.AddForm(assistant_, values);
    } else if (!has_system || i != system_turn) {
      builder.AddForm(user_, values);
    } else if (wraps_system_) {
      builder.AddForm(user_, {.role = turns[i].role,
                              .content = Fill(*with_system_, values)});
    } else {
      builder.AddForm(*with_system_, values);
    }
  }
  return builder.Finish();
}

}  // namespace quire
