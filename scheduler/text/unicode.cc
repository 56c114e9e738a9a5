#include "scheduler/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <vector>

#include "common/check.h"
#include "scheduler/text/utf8.h"

namespace quire {
namespace {

// The character before `end`. REQUIRES: 0 < end, valid UTF-8.
Utf8Scan ScanBackwards(std::string_view text, size_t end) {
  size_t begin = end - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80)
    --begin;
  return ScanUtf8(text.substr(begin, end - begin));
}

size_t SkipForwards(std::string_view text, bool (*skips)(char32_t)) {
  size_t pos = 0;
  while (pos < text.size()) {
    const Utf8Scan scan = ScanUtf8(text.substr(pos));
    if (!skips(scan.code_point)) break;
    pos += scan.length;
  }
  return pos;
}

size_t SkipBackwards(std::string_view text, bool (*skips)(char32_t)) {
  size_t pos = text.size();
  while (pos > 0) {
    const Utf8Scan scan = ScanBackwards(text, pos);
    if (!skips(scan.code_point)) break;
    pos -= scan.length;
  }
  return pos;
}

bool PythonStrips(char32_t c) {
  return IsWhitespace(c) || (c >= 0x1C && c <= 0x1F);
}

void AppendDecomposition(char32_t c, std::vector<utf8proc_int32_t>* out) {
  utf8proc_int32_t
      parts[32];  // No canonical decomposition is longer than four.
  int last_boundclass = 0;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, 32,
                              UTF8PROC_DECOMPOSE, &last_boundclass);
  QUIRE_CHECK(count >= 0 && count <= 32);
  out->insert(out->end(), parts, parts + count);
}

int CombiningClass(utf8proc_int32_t c) {
  return utf8proc_get_property(c)->combining_class;
}

// Puts every run of combining marks in canonical order. The library's own
// ordering takes quadratic time.
void OrderMarks(std::vector<utf8proc_int32_t>* text) {
  auto begin = text->begin();
  while (begin != text->end()) {
    begin = std::find_if(begin, text->end(), CombiningClass);
    const auto end = std::find_if_not(begin, text->end(), CombiningClass);
    std::stable_sort(begin, end, [](auto a, auto b) {
      return CombiningClass(a) < CombiningClass(b);
    });
    begin = end;
  }
}

}  // namespace

bool IsSurelyNfc(std::string_view text) {
  // Every character below U+0300, whose first byte is 0xCC, is in form C and
  // combines with nothing before it.
  return std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0xCC;
  });
}

std::string NormalizeNfc(std::string_view text) {
  if (IsSurelyNfc(text)) return std::string(text);
  std::vector<utf8proc_int32_t> decomposed;
  decomposed.reserve(text.size());
  for (size_t pos = 0; pos < text.size();) {
    const Utf8Scan scan = ScanUtf8(text.substr(pos));
    AppendDecomposition(scan.code_point, &decomposed);
    pos += scan.length;
  }
  OrderMarks(&decomposed);
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  const utf8proc_ssize_t length = utf8proc_normalize_utf32(
      decomposed.data(), static_cast<utf8proc_ssize_t>(decomposed.size()),
      options);
  QUIRE_CHECK(length >= 0);
  std::string composed;
  composed.reserve(text.size());
  for (utf8proc_ssize_t i = 0; i < length; ++i)
    AppendUtf8(static_cast<char32_t>(decomposed[i]), &composed);
  return composed;
}

bool IsWordCharacter(char32_t code_point) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      return false;
  }
}

bool IsWhitespace(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

std::string_view StripLikePython(std::string_view text) {
  text.remove_suffix(text.size() - SkipBackwards(text, PythonStrips));
  text.remove_prefix(SkipForwards(text, PythonStrips));
  return text;
}

size_t TrailingWhitespaceBegin(std::string_view text) {
  return SkipBackwards(text, IsWhitespace);
}

size_t LeadingWhitespaceEnd(std::string_view text) {
  return SkipForwards(text, IsWhitespace);
}

}  // namespace quire
