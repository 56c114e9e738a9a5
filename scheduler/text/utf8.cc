#include "scheduler/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace quire {
namespace {

// What a lead byte asks for. The second byte has a range of its own after E0,
// ED, F0 and F4, which keeps out overlong forms, surrogates and what lies above
// U+10FFFF (Unicode Standard, table 3-7).
struct Lead {
  size_t length = 0;  // 0: no character begins with this byte.
  uint8_t second_min = 0x80;
  uint8_t second_max = 0xBF;
};

Lead LookUpLead(uint8_t byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2) return {0};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  if (byte < 0xF4) return {4};
  return {0};
}

bool AllAscii(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return (word & 0x8080808080808080u) == 0;
}

}  // namespace

Utf8Scan ScanUtf8(std::string_view bytes) {
  using Kind = Utf8Scan::Kind;
  const auto at = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const Lead lead = LookUpLead(at(0));
  if (lead.length == 0) return {Kind::kInvalid, 1};
  if (lead.length == 1) return {Kind::kCharacter, 1, at(0)};
  char32_t code_point = at(0) & (0x7Fu >> lead.length);
  for (size_t i = 1; i < lead.length; ++i) {
    if (i == bytes.size()) return {Kind::kIncomplete, i};
    const uint8_t min = i == 1 ? lead.second_min : 0x80;
    const uint8_t max = i == 1 ? lead.second_max : 0xBF;
    if (at(i) < min || at(i) > max) return {Kind::kInvalid, i};
    code_point = code_point << 6 | (at(i) & 0x3Fu);
  }
  return {Kind::kCharacter, lead.length, code_point};
}

size_t FindInvalidUtf8(std::string_view bytes) {
  size_t pos = 0;
  while (pos < bytes.size()) {
    if (bytes.size() - pos >= 8 && AllAscii(bytes.data() + pos)) {
      pos += 8;
      continue;
    }
    const Utf8Scan scan = ScanUtf8(bytes.substr(pos));
    if (scan.kind != Utf8Scan::Kind::kCharacter) return pos;
    pos += scan.length;
  }
  return std::string_view::npos;
}

void AppendUtf8(char32_t code_point, std::string* out) {
  const auto tail = [&](int shift) {
    return static_cast<char>(0x80 | (code_point >> shift & 0x3F));
  };
  if (code_point < 0x80) {
    out->push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    out->append({static_cast<char>(0xC0 | code_point >> 6), tail(0)});
  } else if (code_point < 0x10000) {
    out->append({static_cast<char>(0xE0 | code_point >> 12), tail(6), tail(0)});
  } else {
    out->append({static_cast<char>(0xF0 | code_point >> 18), tail(12), tail(6),
                 tail(0)});
  }
}

}  // namespace quire
