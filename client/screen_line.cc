#include "client/screen_line.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace quire {
namespace {

bool IsContinuation(char byte) { return (byte & 0xC0) == 0x80; }

// The bytes of the first characters of `text`, at most `columns` of them,
// which are taken off `columns`.
std::string TakeColumns(const std::string& text, size_t& columns) {
  size_t end = 0;
  while (end < text.size() && columns > 0) {
    ++end;
    while (end < text.size() && IsContinuation(text[end])) ++end;
    --columns;
  }
  return text.substr(0, end);
}

std::string EscapeCode(const TextStyle& style) {
  std::string code;
  if (style.bold) code += "\x1b[1m";
  if (style.dim) code += "\x1b[2m";
  if (style.color != TextStyle::kNoColor) {
    absl::StrAppend(&code, "\x1b[38;5;", style.color, "m");
  }
  return code;
}

}  // namespace

ScreenLine& ScreenLine::Add(std::string text, TextStyle style) {
  pieces_.push_back({std::move(text), style});
  return *this;
}

std::string ScreenLine::Render(size_t columns, bool with_styles) const {
  std::string line;
  for (const Piece& piece : pieces_) {
    const std::string code = with_styles ? EscapeCode(piece.style) : "";
    absl::StrAppend(&line, code, TakeColumns(piece.text, columns),
                    code.empty() ? "" : "\x1b[0m");
  }
  return line;
}

}  // namespace quire
