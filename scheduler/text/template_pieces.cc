#include "scheduler/text/template_pieces.h"

#include <algorithm>
#include <utility>

#include "scheduler/text/unicode.h"

namespace quire {
namespace {

using Kind = TemplatePiece::Kind;

// The end of the expression or statement that begins before `pos`: where
// `close` stands outside quotes.
size_t FindClose(std::string_view source, size_t pos, std::string_view close) {
  char quote = 0;
  for (; pos < source.size(); ++pos) {
    const char c = source[pos];
    if (quote != 0) {
      if (c == '\\') {
        ++pos;
      } else if (c == quote) {
        quote = 0;
      }
    } else if (source.substr(pos, close.size()) == close) {
      return pos;
    } else if (c == '\'' || c == '"') {
      quote = c;
    }
  }
  return source.npos;
}

class Cutter {
 public:
  explicit Cutter(std::string_view source) : source_(source) {
    // Jinja drops one newline at the very end.
    if (!source_.empty() && source_.back() == '\n') source_.remove_suffix(1);
  }

  std::vector<TemplatePiece> Cut() {
    while (pos_ < source_.size()) {
      const size_t open = FindOpen();
      TakeText(open);
      if (open < source_.size() && !TakeTag()) {
        pieces_.push_back({Kind::kText, std::string(source_.substr(pos_))});
        break;
      }
    }
    return std::move(pieces_);
  }

 private:
  size_t FindOpen() const {
    for (size_t pos = pos_; pos + 1 < source_.size(); ++pos) {
      if (source_[pos] != '{') continue;
      if (source_[pos + 1] == '{' || source_[pos + 1] == '%' ||
          source_[pos + 1] == '#')
        return pos;
    }
    return source_.size();
  }

  // The text up to the tag at `open`, less what whitespace control takes.
  void TakeText(size_t open) {
    std::string_view text = source_.substr(pos_, open - pos_);
    if (open < source_.size() && open + 2 < source_.size()) {
      const char sign = source_[open + 2];
      if (sign == '-') {
        text = text.substr(0, TrailingWhitespaceBegin(text));
      } else if (source_[open + 1] != '{' && sign != '+') {
        text = WithoutIndentation(text);
      }
    }
    if (strips_next_) text.remove_prefix(LeadingWhitespaceEnd(text));
    if (drops_newline_ && !text.empty() && text.front() == '\n')
      text.remove_prefix(1);
    strips_next_ = drops_newline_ = false;
    if (!text.empty()) pieces_.push_back({Kind::kText, std::string(text)});
    pos_ = open;
  }

  // Blanks at the end of `text` that begin a line.
  std::string_view WithoutIndentation(std::string_view text) const {
    const size_t last = text.find_last_not_of(" \t");
    const bool begins_line = last == text.npos ? pos_ == 0 : text[last] == '\n';
    return begins_line ? text.substr(0, last == text.npos ? 0 : last + 1)
                       : text;
  }

  bool TakeTag() {
    const char kind = source_[pos_ + 1];
    const std::string_view close = kind == '{'   ? "}}"
                                   : kind == '%' ? "%}"
                                                 : "#}";
    const size_t end = kind == '#' ? source_.find(close, pos_ + 2)
                                   : FindClose(source_, pos_ + 2, close);
    if (end == source_.npos) return false;
    std::string_view inside = source_.substr(pos_ + 2, end - pos_ - 2);
    if (!inside.empty() && (inside.front() == '-' || inside.front() == '+'))
      inside.remove_prefix(1);
    strips_next_ = !inside.empty() && inside.back() == '-';
    if (strips_next_) inside.remove_suffix(1);
    drops_newline_ = kind != '{';
    if (kind != '#') {
      pieces_.push_back({kind == '{' ? Kind::kExpression : Kind::kStatement,
                         std::string(StripLikePython(inside))});
    }
    pos_ = end + 2;
    return true;
  }

  std::string_view source_;
  size_t pos_ = 0;
  bool strips_next_ =
      false;  // The tag before ended with a sign to strip what follows.
  bool drops_newline_ = false;  // The tag before was a statement or a comment.
  std::vector<TemplatePiece> pieces_;
};

}  // namespace

std::vector<TemplatePiece> CutTemplate(std::string_view source) {
  return Cutter(source).Cut();
}

}  // namespace quire
