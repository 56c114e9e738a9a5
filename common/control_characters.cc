#include "common/control_characters.h"

#include <cstdint>

#include "absl/strings/str_format.h"

namespace quire {
namespace {

uint8_t ByteAt(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<uint8_t>(text[at]) : 0;
}

bool IsContinuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

// Bytes of the first character. Bytes that are not UTF-8 belong to the one
// before them.
size_t CharacterLength(std::string_view text) {
  size_t length = 1;
  while (IsContinuation(ByteAt(text, length))) ++length;
  return length;
}

// Whether the first character is one.
bool IsControl(std::string_view text) {
  const uint8_t first = ByteAt(text, 0);
  if (first == 0xC2) return (ByteAt(text, 1) & 0xE0) == 0x80;
  return first < 0x20 || first == 0x7F;
}

// REQUIRES: IsControl.
std::string Escape(std::string_view character) {
  return absl::StrFormat("\\x%02x", static_cast<uint8_t>(character.back()));
}

}  // namespace

size_t FindControlCharacter(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (IsControl(text.substr(at))) return at;
  }
  return std::string_view::npos;
}

std::string Escaped(std::string_view text, size_t max_bytes) {
  std::string escaped;
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    std::string piece(text.substr(0, length));
    if (IsControl(piece)) piece = Escape(piece);
    if (escaped.size() + piece.size() > max_bytes) return escaped + "...";
    escaped += piece;
    text.remove_prefix(length);
  }
  return escaped;
}

}  // namespace quire
