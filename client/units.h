#ifndef QUIRE_CLIENT_UNITS_H_
#define QUIRE_CLIENT_UNITS_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace quire {

// Numbers for people.

// To a tenth below a hundred: "960 B", "12.5 KiB", "12 GiB".
std::string FormatBytes(uint64_t bytes);
std::string FormatCount(uint64_t count);  // "1,234,567".
std::string FormatSeconds(
    double seconds);  // "5s", "2m 05s", "1h 02m", "3d 04h".
// Of a whole that may be 0: "93 %".
std::string FormatShare(uint64_t part, uint64_t whole);

// A name that came from elsewhere, fit for a table: at most `columns` wide, and
// every byte that is not printable ASCII replaced by '?', so that it can
// neither break the table nor command the terminal.
std::string Printable(const std::string& name, size_t columns);

}  // namespace quire

#endif  // QUIRE_CLIENT_UNITS_H_
