#ifndef QUIRE_SCHEDULER_TEXT_TEMPLATE_FORM_H_
#define QUIRE_SCHEDULER_TEXT_TEMPLATE_FORM_H_

#include <string>
#include <string_view>
#include <vector>

namespace quire {

// One operand of a concatenation in a template.
struct TemplateTerm {
  enum class Kind {
    kLiteral,
    kRole,     // message['role']
    kContent,  // message['content']
    kSystem,   // messages[0]['content'], system_message
    kBos,
    kEos,
    kOther,
  };
  Kind kind = Kind::kOther;
  std::string text;  // Of a literal: its text; of another: the variable as it
                     // is written.
  bool strips = false;  // Whitespace at its ends is taken off.
};

// An expression of a template that writes something, or that `set` keeps: a
// concatenation of terms.
struct TemplateForm {
  std::vector<TemplateTerm> terms;  // With the template's text behind the
                                    // expression, as a last literal.
  std::string variable;  // That `set` assigns it to; empty: it is written.
  std::string guard;     // The statement right before it; empty: there is none.

  bool Has(TemplateTerm::Kind kind) const;
  // Whether some literal contains `text`.
  bool HasText(std::string_view text) const;
  // The text of a form of literals only; of another, up to its first variable.
  std::string LeadingText() const;
  bool IsLiteral() const;
};

// The forms in a template, in order. Expressions that are no concatenations of
// strings and variables are left out.
std::vector<TemplateForm> ReadForms(std::string_view source);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_TEMPLATE_FORM_H_
