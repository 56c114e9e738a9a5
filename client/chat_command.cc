#include "client/chat_command.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/chat_session.h"
#include "client/connection_flags.h"
#include "client/event_writer.h"
#include "client/generation_flags.h"
#include "client/generation_stream.h"
#include "client/interrupts.h"
#include "client/line_editor.h"
#include "client/prompt_flags.h"
#include "common/clock.h"
#include "common/status_macros.h"

namespace quire {
namespace {

constexpr char kDetails[] =
    "Each line is a message. /help tells the commands, Ctrl-C ends the "
    "running\n"
    "answer, Ctrl-D leaves. Lines from a pipe work too; with --json each "
    "event\n"
    "of an answer is a line, as with quire generate.\n";

std::unique_ptr<EventWriter> MakeWriter(Console& console, const Clock& clock) {
  return JsonFromFlags() ? MakeJsonWriter(console)
                         : MakeTextWriter(console, clock);
}

// The terminal has shown ^C at the cursor, also where that began a line.
void SayInterrupted(const std::string& answer, Console& console) {
  if (answer.empty() || answer.back() == '\n') console.err << "\n";
  console.err << "\x1b[2minterrupted\x1b[0m" << std::endl;
}

// Streams one answer to the console; a Ctrl-C ends it.
absl::Status Answer(const ServerConnection& server, Interrupts& interrupts,
                    const quire::v1::GenerateRequest& request, Console& console,
                    std::string& answer) {
  const SystemClock clock;
  const std::unique_ptr<EventWriter> writer = MakeWriter(console, clock);
  GenerationStream stream(server, request, CallLimitFromFlags());
  interrupts.SetHandler([&stream] { stream.Cancel(); });
  const absl::Status status = stream.ForEach([&](const auto& event) {
    answer += event.text();
    writer->Write(event);
    return FlushOutput(console);
  });
  interrupts.SetHandler(nullptr);
  writer->End();
  if (absl::IsCancelled(status) && console.in_is_terminal) {
    SayInterrupted(answer, console);
  }
  return status;
}

// At a terminal an error is shown and the conversation goes on, as long as
// answers can be; otherwise it ends it.
absl::Status Converse(LineSource& lines, ChatSession& session,
                      Console& console) {
  while (const std::optional<std::string> line = lines.Next()) {
    const absl::Status status = session.Take(*line);
    if (status.ok()) continue;
    if (!console.in_is_terminal || !console.out.good()) return status;
    console.err << "quire: " << status.message() << std::endl;
  }
  if (console.in_is_terminal) console.out << std::endl;
  return absl::OkStatus();
}

absl::Status Chat(const std::vector<std::string>&, Console& console) {
  Interrupts interrupts;
  QUIRE_ASSIGN_OR_RETURN(const ServerConnection server, ConnectionFromFlags());
  quire::v1::GenerateRequest options;
  QUIRE_RETURN_IF_ERROR(SetOptionsFromFlags(options));
  ChatSession session(
      std::move(options), SystemMessageFromFlags(),
      [&](const quire::v1::GenerateRequest& request, std::string& answer) {
        return Answer(server, interrupts, request, console, answer);
      },
      [&](const std::string& text) { console.err << text << std::flush; });
  const std::unique_ptr<LineSource> lines =
      console.in_is_terminal ? MakeLineEditor("> ") : MakePlainLines(console);
  return Converse(*lines, session, console);
}

std::vector<std::string> Flags() {
  std::vector<std::string> flags = {"system"};
  for (const std::string& name : GenerationFlagNames()) flags.push_back(name);
  return WithConnectionFlags(std::move(flags));
}

}  // namespace

Command ChatCommand() {
  return {"chat",   "",      "holds a conversation at the terminal",
          kDetails, Flags(), Chat};
}

}  // namespace quire
