#include "client/command_help.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/check.h"

namespace quire {
namespace {

constexpr size_t kColumns = 80;
constexpr size_t kFlagIndent = 6;

// The words of `text` in lines of at most kColumns, each behind `indent`
// blanks.
std::string Wrap(const std::string& text, size_t indent) {
  std::string wrapped;
  size_t column = kColumns;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (column + 1 + word.size() > kColumns) {
      if (!wrapped.empty()) wrapped += '\n';
      wrapped.append(indent, ' ');
      column = indent;
    } else {
      wrapped += ' ';
      ++column;
    }
    absl::StrAppend(&wrapped, word);
    column += word.size();
  }
  return wrapped + "\n";
}

std::string HelpOnFlag(const std::string& name) {
  const absl::CommandLineFlag* flag = absl::FindCommandLineFlag(name);
  QUIRE_CHECK(flag != nullptr);
  const std::string value = flag->DefaultValue();
  const std::string suffix =
      value.empty() || value == "false" ? "" : absl::StrCat("=", value);
  return absl::StrCat("  --", name, suffix, "\n",
                      Wrap(flag->Help(), kFlagIndent));
}

}  // namespace

std::string HelpOnCommands(const std::vector<Command>& commands) {
  std::string text =
      "quire talks to a Quire server.\n\nUsage: quire COMMAND [ARGUMENTS] "
      "[--FLAG=VALUE ...]\n\nCommands:\n";
  for (const Command& command : commands) {
    const std::string padding(12 - command.name.size(), ' ');
    absl::StrAppend(&text, "  ", command.name, padding, command.summary, "\n");
  }
  absl::StrAppend(&text, "\nquire COMMAND --help tells more of one.\n");
  return text;
}

std::string HelpOnCommand(const Command& command) {
  const std::string arguments =
      command.arguments.empty() ? "" : absl::StrCat(" ", command.arguments);
  std::string text = absl::StrCat(command.summary, "\n\nUsage: quire ",
                                  command.name, arguments, " [FLAGS]\n\n");
  if (!command.details.empty()) absl::StrAppend(&text, command.details, "\n");
  absl::StrAppend(&text, "Flags:\n");
  for (const std::string& flag : command.flags) text += HelpOnFlag(flag);
  return text;
}

}  // namespace quire
