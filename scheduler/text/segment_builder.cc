#include "scheduler/text/segment_builder.h"

#include <algorithm>
#include <utility>

#include "scheduler/text/unicode.h"

namespace quire {

using Kind = TextSegment::Kind;

SegmentBuilder::SegmentBuilder(std::vector<std::string_view> markers,
                               std::string_view bos, std::string_view eos)
    : markers_(std::move(markers)), bos_(bos), eos_(eos) {
  for (const std::string_view marker : {bos, eos}) {
    if (!marker.empty()) markers_.push_back(marker);
  }
}

void SegmentBuilder::AddTemplateText(std::string_view text) {
  while (!text.empty()) {
    size_t first = text.size();
    std::string_view found;
    for (const std::string_view marker : markers_) {
      const size_t pos = std::min(text.find(marker), text.size());
      if (pos < first ||
          (pos == first && pos < text.size() && marker.size() > found.size())) {
        first = pos;
        found = marker;
      }
    }
    AddText(text.substr(0, first));
    AddControl(found);
    text.remove_prefix(first + found.size());
  }
}

void SegmentBuilder::AddText(std::string_view text) {
  if (text.empty()) return;
  if (segments_.empty() || segments_.back().kind != Kind::kText)
    segments_.push_back({Kind::kText, ""});
  segments_.back().text.append(text);
}

void SegmentBuilder::AddControl(std::string_view marker) {
  if (!marker.empty())
    segments_.push_back({Kind::kControl, std::string(marker)});
}

void SegmentBuilder::AddForm(const TemplateForm& form,
                             const TurnValues& values) {
  for (const TemplateTerm& term : form.terms) {
    const auto stripped = [&](std::string_view text) {
      return term.strips ? StripLikePython(text) : text;
    };
    switch (term.kind) {
      case TemplateTerm::Kind::kLiteral:
        AddTemplateText(term.text);
        break;
      case TemplateTerm::Kind::kRole:
        AddText(stripped(values.role));
        break;
      case TemplateTerm::Kind::kContent:
        AddText(stripped(values.content));
        break;
      case TemplateTerm::Kind::kSystem:
        AddText(stripped(values.system));
        break;
      case TemplateTerm::Kind::kBos:
        AddControl(bos_);
        break;
      case TemplateTerm::Kind::kEos:
        AddControl(eos_);
        break;
      case TemplateTerm::Kind::kOther:
        break;
    }
  }
}

}  // namespace quire
