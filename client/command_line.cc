#include "client/command_line.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/flags/parse.h"
#include "absl/flags/reflection.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/command_help.h"

namespace quire {
namespace {

constexpr int kUsageError = 2;

// What stands before "--": there flags are looked for.
std::vector<std::string> WordsWithFlags(const std::vector<std::string>& words) {
  return {words.begin(), std::find(words.begin(), words.end(), "--")};
}

// The words that are neither flags nor flags' values.
std::vector<std::string> ParseFlags(const std::vector<std::string>& words) {
  std::vector<std::string> storage = {"quire"};
  storage.insert(storage.end(), words.begin(), words.end());
  std::vector<char*> argv;
  argv.reserve(storage.size());
  for (std::string& word : storage) argv.push_back(word.data());
  const std::vector<char*> rest =
      absl::ParseCommandLine(static_cast<int>(argv.size()), argv.data());
  return {rest.begin() + 1, rest.end()};
}

// The first flag among `words` that exists, but not for this command; or "".
std::string ForeignFlag(const Command& command,
                        const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    absl::string_view name = word;
    if (!absl::ConsumePrefix(&name, "-")) continue;
    absl::ConsumePrefix(&name, "-");
    name = name.substr(0, name.find('='));
    if (absl::FindCommandLineFlag(name) == nullptr) continue;
    if (std::find(command.flags.begin(), command.flags.end(), name) ==
        command.flags.end()) {
      return std::string(name);
    }
  }
  return "";
}

bool Contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const Command* FindCommand(const std::vector<Command>& commands,
                           const std::string& name) {
  const auto it = std::find_if(
      commands.begin(), commands.end(),
      [&](const Command& command) { return command.name == name; });
  return it == commands.end() ? nullptr : &*it;
}

int Help(const std::vector<Command>& commands, const std::string& name,
         Console& console) {
  const Command* command = FindCommand(commands, name);
  console.out << (command == nullptr ? HelpOnCommands(commands)
                                     : HelpOnCommand(*command));
  return 0;
}

int UsageError(Console& console, const std::string& text) {
  console.err << "quire: " << text << "\n";
  return kUsageError;
}

int Execute(const Command& command, const std::vector<std::string>& arguments,
            Console& console) {
  const absl::Status status = command.run(arguments, console);
  console.out.flush();
  if (status.ok()) return 0;
  console.err << "quire: " << status.message() << "\n";
  return 1;
}

}  // namespace

int RunCommandLine(const std::vector<Command>& commands,
                   const std::vector<std::string>& words, Console& console) {
  const std::vector<std::string> with_flags = WordsWithFlags(words);
  const std::string first = words.empty() ? "" : words.front();
  if (first == "help") {
    return Help(commands, words.size() > 1 ? words[1] : "", console);
  }
  if (Contains(with_flags, "--help") || Contains(with_flags, "-h")) {
    return Help(commands, first, console);
  }
  const Command* command = FindCommand(commands, first);
  if (command == nullptr) {
    console.err << HelpOnCommands(commands);
    return UsageError(console, first.empty()
                                   ? "a command is missing"
                                   : absl::StrCat("no command ", first));
  }
  const std::string foreign = ForeignFlag(*command, with_flags);
  if (!foreign.empty()) {
    return UsageError(
        console, absl::StrCat("quire ", first, " has no flag --", foreign));
  }
  return Execute(*command, ParseFlags({words.begin() + 1, words.end()}),
                 console);
}

}  // namespace quire
