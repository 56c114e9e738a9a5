#ifndef QUIRE_TESTS_CLIENT_COMMAND_FIXTURE_H_
#define QUIRE_TESTS_CLIENT_COMMAND_FIXTURE_H_

#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/reflection.h"
#include "client/command_line.h"
#include "gtest/gtest.h"
#include "tests/client/fake_quire_server.h"

namespace quire {

inline constexpr char kOutputIsLost[] =
    "quire: standard output cannot be written\n";

// What a command line did.
struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

// Runs commands against a fake server.
class CommandTest : public testing::Test {
 protected:
  explicit CommandTest(Command command) : commands_({std::move(command)}) {}

  // The command line with --server=, standard input being `input`.
  Outcome Run(const std::vector<std::string>& words,
              const std::string& input = "") {
    std::ostringstream out;
    Outcome outcome = RunInto(out, words, input);
    outcome.out = out.str();
    return outcome;
  }

  // The same where standard output takes nothing.
  Outcome RunOnFullDisk(const std::vector<std::string>& words,
                        const std::string& input = "") {
    class : public std::streambuf {
    } full_disk;
    std::ostream out(&full_disk);
    return RunInto(out, words, input);
  }

  FakeQuireServer server_;

 private:
  Outcome RunInto(std::ostream& out, std::vector<std::string> words,
                  const std::string& input) {
    words.insert(words.begin() + 1, "--server=" + server_.address());
    const absl::FlagSaver saver;
    std::istringstream in(input);
    std::ostringstream err;
    Console console = {.in = in, .out = out, .err = err};
    const int exit_code = RunCommandLine(commands_, words, console);
    return {.exit_code = exit_code, .out = "", .err = err.str()};
  }

  std::vector<Command> commands_;
};

}  // namespace quire

#endif  // QUIRE_TESTS_CLIENT_COMMAND_FIXTURE_H_
