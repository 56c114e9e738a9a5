#ifndef QUIRE_SCHEDULER_TEXT_UNICODE_H_
#define QUIRE_SCHEDULER_TEXT_UNICODE_H_

#include <string>
#include <string_view>

namespace quire {

// Whether `text` is certainly in Unicode's normalization form C: the quick
// look, which most texts pass.
bool IsSurelyNfc(std::string_view text);

// `text` in form C. O(n log n), also where thousands of combining marks follow
// one another. REQUIRES: valid UTF-8.
std::string NormalizeNfc(std::string_view text);

// A letter, mark, decimal digit or connector such as "_": what a regular
// expression calls \w.
bool IsWordCharacter(char32_t code_point);

// Unicode's White_Space.
bool IsWhitespace(char32_t code_point);

// `text` without the whitespace at its ends, as Python's str.strip() has it:
// White_Space and U+001C to U+001F. REQUIRES: valid UTF-8.
std::string_view StripLikePython(std::string_view text);

// Where the run of whitespace that ends, or begins, `text` begins, or ends.
// REQUIRES: valid UTF-8.
size_t TrailingWhitespaceBegin(std::string_view text);
size_t LeadingWhitespaceEnd(std::string_view text);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_UNICODE_H_
