#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "client/bench_command.h"
#include "client/chat_command.h"
#include "client/command_line.h"
#include "client/detokenize_command.h"
#include "client/generate_command.h"
#include "client/plan_command.h"
#include "client/reproduce_command.h"
#include "client/simulate_command.h"
#include "client/status_command.h"
#include "client/tokenize_command.h"
#include "client/top_command.h"
#include "common/lock_checks.h"

int main(int argc, char** argv) {
  quire::LeaveLockChecksToTests();
  const std::vector<quire::Command> commands = {
      quire::GenerateCommand(), quire::ChatCommand(),
      quire::TokenizeCommand(), quire::DetokenizeCommand(),
      quire::StatusCommand(),   quire::TopCommand(),
      quire::BenchCommand(),    quire::SimulateCommand(),
      quire::PlanCommand(),     quire::ReproduceCommand()};
  quire::Console console = {
      .in = std::cin,
      .out = std::cout,
      .err = std::cerr,
      .in_is_terminal = isatty(STDIN_FILENO) == 1,
      .out_is_terminal = isatty(STDOUT_FILENO) == 1,
      .err_is_terminal = isatty(STDERR_FILENO) == 1,
  };
  return quire::RunCommandLine(
      commands, std::vector<std::string>(argv + 1, argv + argc), console);
}
