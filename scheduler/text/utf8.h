#ifndef QUIRE_SCHEDULER_TEXT_UTF8_H_
#define QUIRE_SCHEDULER_TEXT_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace quire {

// What stands at the front of some bytes that may or may not be UTF-8.
struct Utf8Scan {
  enum class Kind {
    kCharacter,   // A whole character.
    kIncomplete,  // The bytes end inside what can still become a character.
    kInvalid,     // Never a character, whatever follows.
  };
  Kind kind = Kind::kInvalid;
  // Bytes that it takes: of invalid ones, the longest beginning of a character
  // ("maximal subpart" of the Unicode Standard, section 3.9), at least one.
  size_t length = 0;
  char32_t code_point = 0;  // Of a whole character.
};

// REQUIRES: `bytes` is not empty.
Utf8Scan ScanUtf8(std::string_view bytes);

// Where the first byte is that does not belong to a whole character; npos:
// everywhere valid.
size_t FindInvalidUtf8(std::string_view bytes);

void AppendUtf8(char32_t code_point, std::string* out);

// Bytes of the character that begins with `lead`, in valid UTF-8.
inline size_t Utf8Length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_UTF8_H_
