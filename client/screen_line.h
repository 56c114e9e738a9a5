#ifndef QUIRE_CLIENT_SCREEN_LINE_H_
#define QUIRE_CLIENT_SCREEN_LINE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace quire {

// How a piece of text looks on a terminal.
struct TextStyle {
  int color = kNoColor;  // Of the 256-colour palette.
  bool bold = false;
  bool dim = false;

  static constexpr int kNoColor = -1;
};

// One line of a screen: pieces of text in styles. Every character is one column
// wide. Not thread-safe.
class ScreenLine {
 public:
  ScreenLine() = default;

  // Puts text behind the line; returns the line.
  ScreenLine& Add(std::string text, TextStyle style = {});

  // The first `columns` characters, with the escape codes of their styles or as
  // plain text.
  std::string Render(size_t columns, bool with_styles) const;

 private:
  struct Piece {
    std::string text;  // UTF-8.
    TextStyle style;
  };

  std::vector<Piece> pieces_;
};

}  // namespace quire

#endif  // QUIRE_CLIENT_SCREEN_LINE_H_
