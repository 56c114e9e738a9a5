#include "client/units.h"

#include <cmath>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace quire {

std::string FormatBytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  const double tenths = std::round(10 * value) / 10;
  const bool whole = value >= 100 || tenths == std::round(tenths);
  return absl::StrFormat("%.*f %s", whole ? 0 : 1, value, kUnits[unit]);
}

std::string FormatCount(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string FormatSeconds(double seconds) {
  const auto s = static_cast<uint64_t>(seconds);
  if (s < 60) return absl::StrFormat("%ds", s);
  if (s < 3600) return absl::StrFormat("%dm %02ds", s / 60, s % 60);
  if (s < 86400) return absl::StrFormat("%dh %02dm", s / 3600, s / 60 % 60);
  return absl::StrFormat("%dd %02dh", s / 86400, s / 3600 % 24);
}

std::string FormatShare(uint64_t part, uint64_t whole) {
  const double share =
      whole == 0 ? 0 : 100.0 * static_cast<double>(part) / whole;
  return absl::StrFormat("%.0f %%", share);
}

std::string Printable(const std::string& name, size_t columns) {
  std::string text = name.substr(0, columns);
  for (char& c : text) {
    if (!absl::ascii_isprint(c)) c = '?';
  }
  if (name.size() > columns && columns > 0) text.back() = '~';
  return text;
}

}  // namespace quire
