#ifndef QUIRE_CLIENT_LINE_EDITOR_H_
#define QUIRE_CLIENT_LINE_EDITOR_H_

#include <memory>
#include <optional>
#include <string>

#include "client/console.h"

namespace quire {

// Where a conversation's lines come from. Not thread-safe.
class LineSource {
 public:
  virtual ~LineSource() = default;

  // The next line without its end; nothing after the last (at a terminal:
  // Ctrl-D).
  virtual std::optional<std::string> Next() = 0;
};

// Lines of the process's own terminal behind `prompt`, with editing and a
// history; Ctrl-C clears the line.
std::unique_ptr<LineSource> MakeLineEditor(std::string prompt);

// Lines of console.in as they are. The console must outlive the source.
std::unique_ptr<LineSource> MakePlainLines(Console& console);

}  // namespace quire

#endif  // QUIRE_CLIENT_LINE_EDITOR_H_
