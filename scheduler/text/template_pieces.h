#ifndef QUIRE_SCHEDULER_TEXT_TEMPLATE_PIECES_H_
#define QUIRE_SCHEDULER_TEXT_TEMPLATE_PIECES_H_

#include <string>
#include <string_view>
#include <vector>

namespace quire {

// A part of a Jinja template.
struct TemplatePiece {
  enum class Kind {
    kText,        // Written out as it is.
    kExpression,  // {{ ... }}
    kStatement,   // {% ... %}
  };
  Kind kind = Kind::kText;
  std::string
      text;  // Between the delimiters, without the whitespace around it.
  friend bool operator==(const TemplatePiece&, const TemplatePiece&) = default;
};

// Cuts a template into its pieces; comments are left out, and so is text that
// whitespace control takes away: signs such as {%- do, and the two options that
// chat templates are written for: the newline after a statement and the blanks
// between the beginning of a line and a statement go (trim_blocks,
// lstrip_blocks). What is never closed counts as text.
std::vector<TemplatePiece> CutTemplate(std::string_view source);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_TEMPLATE_PIECES_H_
