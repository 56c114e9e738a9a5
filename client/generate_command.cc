#include "client/generate_command.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/connection_flags.h"
#include "client/event_writer.h"
#include "client/generation_flags.h"
#include "client/generation_stream.h"
#include "client/prompt_flags.h"
#include "common/clock.h"
#include "common/status_macros.h"

namespace quire {
namespace {

constexpr char kDetails[] =
    "PROMPT is a text, or - to read it from standard input.\n\n"
    "  quire generate \"Once upon a time\" --max_tokens=50\n"
    "  quire generate --chat \"Why is the sky blue?\" --temperature=0\n"
    "  quire generate --token_ids=1,4093,198 --max_tokens=8 --json\n\n"
    "With --json each event is a line with sequence, token_ids and text, and\n"
    "with logprobs and prompt_logprobs where asked for; the last one has\n"
    "finish_reason (stop, length), stop_reason and usage.\n\n"
    "With --n several sequences are generated from the prompt's memory; with\n"
    "--best_of too, the best n of so many, each with its score: the mean\n"
    "log-probability of a token. With --beam_width the n best texts that a\n"
    "beam search finds.\n";

std::unique_ptr<EventWriter> MakeWriter(
    const quire::v1::GenerateRequest& request, Console& console,
    const Clock& clock) {
  if (JsonFromFlags()) return MakeJsonWriter(console);
  return request.n() > 1 ? MakeSequencesWriter(console)
                         : MakeTextWriter(console, clock);
}

absl::Status Generate(const std::vector<std::string>& arguments,
                      Console& console) {
  quire::v1::GenerateRequest request;
  QUIRE_RETURN_IF_ERROR(SetPrompt(arguments, console.in, request));
  QUIRE_RETURN_IF_ERROR(SetOptionsFromFlags(request));
  QUIRE_ASSIGN_OR_RETURN(const ServerConnection server, ConnectionFromFlags());
  const SystemClock clock;
  const std::unique_ptr<EventWriter> writer =
      MakeWriter(request, console, clock);
  GenerationStream stream(server, request, CallLimitFromFlags());
  const absl::Status status = stream.ForEach([&](const auto& event) {
    writer->Write(event);
    return FlushOutput(console);
  });
  writer->End();
  return status;
}

std::vector<std::string> Flags() {
  std::vector<std::string> flags = PromptFlagNames();
  for (const std::string& name : GenerationFlagNames()) flags.push_back(name);
  return WithConnectionFlags(std::move(flags));
}

}  // namespace

Command GenerateCommand() {
  return {"generate", "[PROMPT]", "streams a continuation of a prompt",
          kDetails,   Flags(),    Generate};
}

}  // namespace quire
