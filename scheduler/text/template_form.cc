#include "scheduler/text/template_form.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "scheduler/text/template_pieces.h"
#include "scheduler/text/unicode.h"

namespace quire {
namespace {

using Kind = TemplateTerm::Kind;

Kind KindOfVariable(std::string_view path) {
  if (path == "message.role") return Kind::kRole;
  if (path == "message.content" || path == "content") return Kind::kContent;
  if (path == "messages[0].content" || path == "system_message")
    return Kind::kSystem;
  if (path == "bos_token") return Kind::kBos;
  if (path == "eos_token") return Kind::kEos;
  return Kind::kOther;
}

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Reads `a + 'b' | trim + c.strip()`. A filter belongs to the operand before
// it.
class ConcatenationReader {
 public:
  explicit ConcatenationReader(std::string_view text) : text_(text) {}

  // nullopt: it is something else.
  std::optional<std::vector<TemplateTerm>> Read() {
    std::vector<TemplateTerm> terms;
    do {
      std::optional<TemplateTerm> term = ReadTerm();
      if (!term.has_value()) return std::nullopt;
      terms.push_back(*std::move(term));
    } while (Take('+') || Take('~'));
    SkipBlanks();
    if (pos_ != text_.size()) return std::nullopt;
    return terms;
  }

 private:
  std::optional<TemplateTerm> ReadTerm() {
    SkipBlanks();
    if (pos_ == text_.size()) return std::nullopt;
    const char c = text_[pos_];
    std::optional<TemplateTerm> term =
        c == '\'' || c == '"' ? ReadLiteral() : ReadVariable();
    if (!term.has_value()) return std::nullopt;
    while (Take('|')) {
      if (ReadName() != "trim") return std::nullopt;
      term->strips = true;
    }
    if (term->strips && term->kind == Kind::kLiteral)
      term->text = std::string(StripLikePython(term->text));
    return term;
  }

  std::optional<TemplateTerm> ReadLiteral() {
    const char quote = text_[pos_++];
    std::string literal;
    while (pos_ < text_.size() && text_[pos_] != quote) {
      if (text_[pos_] == '\\' && pos_ + 1 < text_.size()) {
        ++pos_;
        literal.append(Unescape(text_[pos_++]));
      } else {
        literal.push_back(text_[pos_++]);
      }
    }
    if (pos_ == text_.size()) return std::nullopt;
    ++pos_;
    return TemplateTerm{Kind::kLiteral, std::move(literal), false};
  }

  static std::string Unescape(char c) {
    switch (c) {
      case 'n':
        return "\n";
      case 't':
        return "\t";
      case 'r':
        return "\r";
      case '\\':
      case '\'':
      case '"':
        return std::string(1, c);
      default:
        return std::string("\\") + c;
    }
  }

  // name, name.name, name['name'], name[0], at last perhaps .strip(); written
  // with dots.
  std::optional<TemplateTerm> ReadVariable() {
    std::string path = ReadName();
    if (path.empty()) return std::nullopt;
    bool strips = false;
    while (pos_ < text_.size() && !strips) {
      if (text_.substr(pos_, 8) == ".strip()") {
        pos_ += 8;
        strips = true;
      } else if (text_[pos_] == '.') {
        ++pos_;
        path += "." + ReadName();
      } else if (text_[pos_] == '[') {
        if (!ReadSubscript(&path)) return std::nullopt;
      } else {
        break;
      }
    }
    const Kind kind = KindOfVariable(path);
    return TemplateTerm{kind, std::move(path), strips};
  }

  bool ReadSubscript(std::string* path) {
    const size_t end = text_.find(']', pos_);
    if (end == text_.npos) return false;
    std::string_view key = text_.substr(pos_ + 1, end - pos_ - 1);
    pos_ = end + 1;
    const bool quoted = key.size() >= 2 &&
                        (key.front() == '\'' || key.front() == '"') &&
                        key.back() == key.front();
    if (quoted) {
      path->append(".").append(key.substr(1, key.size() - 2));
    } else {
      path->append("[").append(key).append("]");
    }
    return true;
  }

  std::string ReadName() {
    SkipBlanks();
    const size_t begin = pos_;
    while (pos_ < text_.size() && IsNameCharacter(text_[pos_])) ++pos_;
    return std::string(text_.substr(begin, pos_ - begin));
  }

  bool Take(char c) {
    SkipBlanks();
    if (pos_ == text_.size() || text_[pos_] != c) return false;
    ++pos_;
    return true;
  }

  void SkipBlanks() {
    while (pos_ < text_.size() &&
           std::isspace(static_cast<unsigned char>(text_[pos_])))
      ++pos_;
  }

  std::string_view text_;
  size_t pos_ = 0;
};

// `set name = expression`: the name, and the expression into `expression`.
// Empty: another statement.
std::string ReadAssignment(std::string_view statement,
                           std::string_view* expression) {
  constexpr std::string_view kSet = "set ";
  if (statement.substr(0, kSet.size()) != kSet) return "";
  const size_t equals = statement.find('=');
  if (equals == statement.npos) return "";
  *expression = statement.substr(equals + 1);
  return std::string(
      StripLikePython(statement.substr(kSet.size(), equals - kSet.size())));
}

std::optional<TemplateForm> ReadForm(const TemplatePiece& piece) {
  std::string_view expression = piece.text;
  TemplateForm form;
  if (piece.kind == TemplatePiece::Kind::kStatement) {
    form.variable = ReadAssignment(piece.text, &expression);
    if (form.variable.empty()) return std::nullopt;
  }
  auto terms = ConcatenationReader(expression).Read();
  if (!terms.has_value()) return std::nullopt;
  form.terms = *std::move(terms);
  return form;
}

}  // namespace

bool TemplateForm::Has(TemplateTerm::Kind kind) const {
  return std::any_of(terms.begin(), terms.end(), [&](const TemplateTerm& term) {
    return term.kind == kind;
  });
}

bool TemplateForm::HasText(std::string_view text) const {
  return std::any_of(terms.begin(), terms.end(), [&](const TemplateTerm& term) {
    return term.kind == Kind::kLiteral &&
           term.text.find(text) != std::string::npos;
  });
}

std::string TemplateForm::LeadingText() const {
  std::string text;
  for (const TemplateTerm& term : terms) {
    if (term.kind != Kind::kLiteral) break;
    text += term.text;
  }
  return text;
}

bool TemplateForm::IsLiteral() const {
  return std::all_of(terms.begin(), terms.end(), [](const TemplateTerm& term) {
    return term.kind == Kind::kLiteral;
  });
}

std::vector<TemplateForm> ReadForms(std::string_view source) {
  const std::vector<TemplatePiece> pieces = CutTemplate(source);
  std::vector<TemplateForm> forms;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].kind == TemplatePiece::Kind::kText) continue;
    std::optional<TemplateForm> form = ReadForm(pieces[i]);
    if (!form.has_value()) continue;
    if (i > 0 && pieces[i - 1].kind == TemplatePiece::Kind::kStatement)
      form->guard = pieces[i - 1].text;
    const bool has_text = i + 1 < pieces.size() &&
                          pieces[i + 1].kind == TemplatePiece::Kind::kText;
    if (has_text && form->variable.empty())
      form->terms.push_back({Kind::kLiteral, pieces[i + 1].text, false});
    forms.push_back(*std::move(form));
  }
  return forms;
}

}  // namespace quire
