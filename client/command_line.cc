#include "client/command_line.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/command_help.h"
#include "client/command_line_error.h"
#include "common/command_flags.h"

namespace quire {
namespace {

const Command* FindCommand(const std::vector<Command>& commands,
                           const std::string& name) {
  const auto it = std::find_if(
      commands.begin(), commands.end(),
      [&](const Command& command) { return command.name == name; });
  return it == commands.end() ? nullptr : &*it;
}

// Says what failed, be it that the output could not be written.
int Finish(absl::Status status, Console& console) {
  status.Update(FlushOutput(console));
  if (status.ok()) return 0;
  console.err << "quire: " << status.message() << "\n";
  return 1;
}

int UsageError(Console& console, const std::string& text,
               const std::string& help) {
  console.err << "quire: " << text << "; see " << help << "\n";
  return kUsageError;
}

int UsageError(const Command& command, const absl::Status& status,
               Console& console) {
  return UsageError(console, std::string(status.message()),
                    absl::StrCat("quire ", command.name, " --help"));
}

int NoSuchCommand(const std::string& word, Console& console) {
  const std::string text =
      word.empty() || absl::StartsWith(word, "-")
          ? "the command is missing, which comes before all flags"
          : absl::StrCat("there is no command ", word);
  return UsageError(console, text, "quire help");
}

int Help(const std::vector<Command>& commands, const std::string& topic,
         Console& console) {
  if (topic.empty() || absl::StartsWith(topic, "-")) {
    console.out << HelpOnCommands(commands);
    return Finish(absl::OkStatus(), console);
  }
  const Command* command = FindCommand(commands, topic);
  if (command == nullptr) return NoSuchCommand(topic, console);
  console.out << HelpOnCommand(*command);
  return Finish(absl::OkStatus(), console);
}

// What `words` give beside flags, where the command takes it.
absl::StatusOr<std::vector<std::string>> Arguments(
    const Command& command, const std::vector<std::string>& words) {
  auto arguments = SetFlags(words, command.flags);
  if (arguments.ok() && !arguments->empty() && command.arguments.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("quire ", command.name, " takes no arguments"));
  }
  return arguments;
}

int Execute(const Command& command, const std::vector<std::string>& words,
            Console& console) {
  const auto arguments = Arguments(command, words);
  if (!arguments.ok()) {
    return UsageError(command, arguments.status(), console);
  }
  const absl::Status status = command.run(*arguments, console);
  if (IsCommandLineError(status)) return UsageError(command, status, console);
  return Finish(status, console);
}

}  // namespace

int RunCommandLine(const std::vector<Command>& commands,
                   const std::vector<std::string>& words, Console& console) {
  const std::string first = words.empty() ? "" : words.front();
  if (first == "help") {
    return Help(commands, words.size() > 1 ? words[1] : "", console);
  }
  if (AsksForHelp(words)) return Help(commands, first, console);
  const Command* command = FindCommand(commands, first);
  if (command == nullptr) return NoSuchCommand(first, console);
  return Execute(*command, {words.begin() + 1, words.end()}, console);
}

}  // namespace quire
