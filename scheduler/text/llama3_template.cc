#include "scheduler/text/llama3_template.h"

#include <utility>

#include "absl/status/status.h"
#include "common/status_macros.h"
#include "scheduler/text/segment_builder.h"
#include "scheduler/text/unicode.h"

namespace quire {
namespace {

using Term = TemplateTerm;

constexpr std::string_view kHeader = "<|start_header_id|>";
constexpr std::string_view kHeaderEnd = "<|end_header_id|>";
constexpr std::string_view kTurnEnd = "<|eot_id|>";

bool IsTurn(const TemplateForm& form) {
  return form.Has(Term::Kind::kRole) && form.Has(Term::Kind::kContent) &&
         form.HasText(kHeader) && form.HasText(kTurnEnd);
}

bool IsGenerationPrompt(const TemplateForm& form) {
  return form.IsLiteral() &&
         form.LeadingText().rfind("<|start_header_id|>assistant", 0) == 0 &&
         !form.HasText(kTurnEnd);
}

// "Cutting Knowledge Date: ...\nToday Date: ...\n\n".
std::optional<std::string> ReadDates(const TemplateSource& source) {
  const auto cutoff = source.Find([](const TemplateForm& form) {
    return form.LeadingText().rfind("Cutting Knowledge Date", 0) == 0;
  });
  const auto today = source.Find([](const TemplateForm& form) {
    return form.LeadingText().rfind("Today Date", 0) == 0;
  });
  const auto date = source.Find([](const TemplateForm& form) {
    return form.variable == "date_string" && form.IsLiteral();
  });
  if (!cutoff.has_value() || !today.has_value() || !date.has_value())
    return std::nullopt;
  std::string dates = cutoff->LeadingText();
  for (const TemplateTerm& term : today->terms) {
    dates +=
        term.kind == Term::Kind::kLiteral ? term.text : date->LeadingText();
  }
  return dates;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChatTemplate>> Llama3Template::Create(
    TemplateSource source) {
  std::unique_ptr<Llama3Template> created(new Llama3Template);
  auto turn = source.Find(IsTurn);
  auto prompt = source.Find(IsGenerationPrompt);
  created->dates_ = ReadDates(source);
  const bool lacks_dates =
      source.Contains("Today Date") && !created->dates_.has_value();
  if (!turn.has_value() || !prompt.has_value() || lacks_dates) {
    return absl::UnimplementedError(
        "the chat template is a form of llama-3 that is not known");
  }
  created->turn_ = *std::move(turn);
  created->generation_prompt_ = *std::move(prompt);
  created->begins_with_bos_ = source.Contains("bos_token");
  created->always_prompts_ = !source.Contains("add_generation_prompt");
  created->source_ = std::move(source);
  return created;
}

absl::StatusOr<std::vector<TextSegment>> Llama3Template::Render(
    const std::vector<ChatTurn>& turns, bool add_generation_prompt) const {
  QUIRE_RETURN_IF_ERROR(CheckRoles(turns));
  SegmentBuilder builder({kHeader, kHeaderEnd, kTurnEnd}, source_.bos,
                         source_.eos);
  if (begins_with_bos_) builder.AddControl(source_.bos);
  size_t next = 0;
  if (dates_.has_value()) {
    builder.AddTemplateText("<|start_header_id|>system<|end_header_id|>\n\n");
    builder.AddText(*dates_);
    if (turns[0].role == "system")
      builder.AddText(StripLikePython(turns[next++].content));
    builder.AddControl(kTurnEnd);
  }
  for (; next < turns.size(); ++next) {
    builder.AddForm(turn_,
                    {.role = turns[next].role, .content = turns[next].content});
  }
  if (add_generation_prompt || always_prompts_)
    builder.AddForm(generation_prompt_, {});
  return builder.Finish();
}

}  // namespace quire
