#ifndef QUIRE_COMMON_LOG_H_
#define QUIRE_COMMON_LOG_H_

#include <string_view>

namespace quire {

enum class LogLevel { kInfo, kWarning, kError };

// Writes one line to standard error: `I 2024-05-01T12:00:00.123Z scheduler:
// text`. Thread-safe; the line is never torn. For events of a process's life,
// never in a step.
void Log(LogLevel level, std::string_view text);

inline void LogInfo(std::string_view text) { Log(LogLevel::kInfo, text); }
inline void LogWarning(std::string_view text) { Log(LogLevel::kWarning, text); }
inline void LogError(std::string_view text) { Log(LogLevel::kError, text); }

// Stands before each text, such as "scheduler" or "worker 0". Call once, before
// any other thread logs.
void SetLogName(std::string_view name);

}  // namespace quire

#endif  // QUIRE_COMMON_LOG_H_
