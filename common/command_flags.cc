#include "common/command_flags.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "common/check.h"
#include "common/status_macros.h"

namespace quire {
namespace {

using Words = std::vector<std::string>;

constexpr size_t kColumns = 80;
constexpr size_t kFlagIndent = 6;

bool Contains(const Words& words, absl::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

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

bool IsBool(absl::string_view name, const Words& names) {
  return Contains(names, name) &&
         absl::FindCommandLineFlag(name)->IsOfType<bool>();
}

struct FlagWord {
  std::string name;
  std::optional<std::string> value;
};

// Reads "--name=value" or "--name"; of a bool "--name" and "--noname" say the
// value.
FlagWord ParseFlagWord(absl::string_view word, const Words& names) {
  absl::ConsumePrefix(&word, "-");
  absl::ConsumePrefix(&word, "-");
  const size_t equals = word.find('=');
  const std::string name(word.substr(0, equals));
  if (equals != absl::string_view::npos) {
    return {name, std::string(word.substr(equals + 1))};
  }
  if (IsBool(name, names)) return {name, "true"};
  if (absl::ConsumePrefix(&word, "no") && IsBool(word, names)) {
    return {std::string(word), "false"};
  }
  return {name, std::nullopt};
}

template <typename T>
bool Holds(const absl::CommandLineFlag& flag) {
  return flag.IsOfType<T>() || flag.IsOfType<std::optional<T>>();
}

// What a flag of whole numbers takes, or nothing where it is none.
template <typename T>
std::string RangeOf(const absl::CommandLineFlag& flag) {
  if (!Holds<T>(flag)) return "";
  return absl::StrCat("it must be a whole number, ",
                      std::numeric_limits<T>::min(), " to ",
                      std::numeric_limits<T>::max());
}

// What the flag takes, where abseil parses its type and says nothing of it.
std::string WhatItTakes(const absl::CommandLineFlag& flag) {
  if (Holds<bool>(flag)) return "it must be true or false";
  if (Holds<float>(flag) || Holds<double>(flag)) return "it must be a number";
  if (Holds<absl::Duration>(flag)) {
    return "it must be a duration such as 30s or 500ms";
  }
  return absl::StrCat(RangeOf<int32_t>(flag), RangeOf<uint32_t>(flag),
                      RangeOf<int64_t>(flag), RangeOf<uint64_t>(flag));
}

absl::Status SetFlag(const std::string& name, const std::string& value) {
  absl::CommandLineFlag& flag = *absl::FindCommandLineFlag(name);
  std::string error;
  if (flag.ParseFrom(value, &error)) return absl::OkStatus();
  // abseil's sentence, behind which stands what the flag's type has to say.
  const size_t place = error.find("'; ");
  const std::string reason =
      place == std::string::npos ? WhatItTakes(flag) : error.substr(place + 3);
  return absl::InvalidArgumentError(
      absl::StrCat("--", name, " cannot be \"", value, "\"",
                   reason.empty() ? "" : ", ", reason));
}

absl::Status CheckNoneLeft(const Words& rest) {
  if (rest.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("\"", rest.front(), "\" is no flag"));
}

int PrintHelp(const FlagProgram& program) {
  std::cout << program.usage << "\n"
            << HelpOnFlags(program.flags) << std::flush;
  if (std::cout.good()) return 0;
  std::cerr << program.name << ": standard output cannot be written\n";
  return 1;
}

// The words behind main's first.
Words WordsOf(int argc, char** argv) {
  return argc > 0 ? Words(argv + 1, argv + argc) : Words();
}

}  // namespace

bool AsksForHelp(const Words& words) {
  const Words before(words.begin(),
                     std::find(words.begin(), words.end(), "--"));
  return Contains(before, "--help") || Contains(before, "-h");
}

std::string HelpOnFlags(const Words& names) {
  std::string text = "Flags:\n";
  for (const std::string& name : names) text += HelpOnFlag(name);
  return text;
}

absl::StatusOr<Words> SetFlags(const Words& words, const Words& names) {
  Words rest;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (*word == "--") {
      rest.insert(rest.end(), word + 1, words.end());
      break;
    }
    if (!absl::StartsWith(*word, "-") || *word == "-") {
      rest.push_back(*word);
      continue;
    }
    FlagWord flag = ParseFlagWord(*word, names);
    if (!Contains(names, flag.name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no flag --", flag.name));
    }
    if (!flag.value.has_value()) {
      if (++word == words.end()) {
        return absl::InvalidArgumentError(
            absl::StrCat("--", flag.name, " lacks its value"));
      }
      flag.value = *word;
    }
    QUIRE_RETURN_IF_ERROR(SetFlag(flag.name, *flag.value));
  }
  return rest;
}

std::optional<int> TakeCommandLine(const FlagProgram& program, int argc,
                                   char** argv) {
  const Words words = WordsOf(argc, argv);
  if (AsksForHelp(words)) return PrintHelp(program);
  const absl::StatusOr<Words> rest = SetFlags(words, program.flags);
  const absl::Status status = rest.ok() ? CheckNoneLeft(*rest) : rest.status();
  if (status.ok()) return std::nullopt;
  std::cerr << absl::StrCat(program.name, ": ", status.message(), "; see ",
                            program.name, " --help\n");
  return kUsageError;
}

}  // namespace quire
