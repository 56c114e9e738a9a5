#ifndef QUIRE_SCHEDULER_TEXT_SEGMENT_BUILDER_H_
#define QUIRE_SCHEDULER_TEXT_SEGMENT_BUILDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/text/template_form.h"
#include "scheduler/text/tokenizer.h"

namespace quire {

// What the variables of a form stand for.
struct TurnValues {
  std::string_view role;
  std::string_view content;
  std::string_view system;
};

// Builds a rendered chat. Markers are the texts that count as control tokens
// where the template writes them; in what a message says they never do.
class SegmentBuilder {
 public:
  // `bos` and `eos` are markers too; empty: the model has none.
  SegmentBuilder(std::vector<std::string_view> markers, std::string_view bos,
                 std::string_view eos);

  // Text of the template: markers in it become control segments.
  void AddTemplateText(std::string_view text);
  // Text of a message. Neighbouring texts become one segment.
  void AddText(std::string_view text);
  void AddControl(std::string_view marker);
  void AddForm(const TemplateForm& form, const TurnValues& values);

  std::vector<TextSegment> Finish() { return std::move(segments_); }

 private:
  std::vector<std::string_view> markers_;
  const std::string_view bos_;
  const std::string_view eos_;
  std::vector<TextSegment> segments_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_SEGMENT_BUILDER_H_
