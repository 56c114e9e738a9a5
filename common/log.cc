#include "common/log.h"

#include <cstdio>
#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace quire {
namespace {

std::string& LogName() {
  static auto& name = *new std::string("quire");
  return name;
}

}  // namespace

void SetLogName(std::string_view name) { LogName() = name; }

void Log(LogLevel level, std::string_view text) {
  const std::string time = absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now(),
                                            absl::UTCTimeZone());
  std::string line(1, "IWE"[static_cast<int>(level)]);
  line.append(" ").append(time).append(" ").append(LogName()).append(": ");
  line.append(text).append("\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace quire
