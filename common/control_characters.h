#ifndef QUIRE_COMMON_CONTROL_CHARACTERS_H_
#define QUIRE_COMMON_CONTROL_CHARACTERS_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace quire {

// U+0000 to U+001F, U+007F and U+0080 to U+009F: a log's line ends at one, and
// a terminal obeys them.

// The byte at which the first one of `text` begins; npos: there is none.
size_t FindControlCharacter(std::string_view text);

// A stranger's text as it may stand in a log line: control characters as "\x1b"
// and the like; what exceeds `max_bytes` is left out, from the end of a
// character on, and "..." stands for it.
std::string Escaped(std::string_view text, size_t max_bytes);

}  // namespace quire

#endif  // QUIRE_COMMON_CONTROL_CHARACTERS_H_
