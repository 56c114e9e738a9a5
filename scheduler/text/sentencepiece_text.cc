#include "scheduler/text/sentencepiece_text.h"

#include <algorithm>
#include <charconv>

namespace quire {

std::string SpaceSignsToSpaces(std::string_view text) {
  std::string spaced;
  spaced.reserve(text.size());
  for (size_t pos = 0; pos < text.size();) {
    const size_t sign = std::min(text.find(kSpaceSign, pos), text.size());
    spaced.append(text.substr(pos, sign - pos));
    if (sign < text.size()) spaced.push_back(' ');
    pos = sign + kSpaceSign.size();
  }
  return spaced;
}

std::optional<char> ParseByteToken(std::string_view token) {
  if (token.size() != 6 || token.substr(0, 3) != "<0x" || token[5] != '>')
    return std::nullopt;
  unsigned value = 0;
  const auto [end, error] =
      std::from_chars(token.data() + 3, token.data() + 5, value, 16);
  if (error != std::errc() || end != token.data() + 5) return std::nullopt;
  return static_cast<char>(value);
}

}  // namespace quire
