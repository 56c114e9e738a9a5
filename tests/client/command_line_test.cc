#include "client/command_line.h"

#include <sstream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "client/command_line_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

ABSL_FLAG(int, paint_layers, 2, "How often to paint, at the least.");
ABSL_FLAG(bool, paint_gloss, false, "Makes it shine.");

namespace quire {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

absl::Status Paint(const std::vector<std::string>& arguments,
                   Console& console) {
  for (const std::string& argument : arguments) console.out << argument << ";";
  console.out << absl::GetFlag(FLAGS_paint_layers);
  return absl::OkStatus();
}

absl::Status Fail(const std::vector<std::string>& arguments, Console& console) {
  return absl::InternalError("the brush broke");
}

absl::Status Lack(const std::vector<std::string>& arguments, Console& console) {
  return CommandLineError("the color is missing");
}

class CommandLineTest : public testing::Test {
 protected:
  int Run(const std::vector<std::string>& words) {
    const absl::FlagSaver saver;
    std::istringstream in;
    Console console = {.in = in, .out = out_, .err = err_};
    return RunCommandLine(commands_, words, console);
  }

  const std::vector<Command> commands_ = {
      {"paint",
       "THING",
       "paints a thing",
       "Use a brush.\n",
       {"paint_layers"},
       Paint},
      {"fail", "", "fails", "", {"paint_gloss"}, Fail},
      {"lack", "", "lacks", "", {}, Lack}};
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(CommandLineTest, GivesTheCommandWhatIsNotAFlag) {
  EXPECT_EQ(Run({"paint", "door", "--paint_layers=5", "-", "frame"}), 0);
  EXPECT_EQ(out_.str(), "door;-;frame;5");
}

TEST_F(CommandLineTest, TakesWhatFollowsTwoDashesAsItIs) {
  EXPECT_EQ(Run({"paint", "--", "--paint_gloss", "--help"}), 0);
  EXPECT_EQ(out_.str(), "--paint_gloss;--help;2");
}

TEST_F(CommandLineTest, CommandCanFindItsCommandLineWrong) {
  EXPECT_EQ(Run({"lack"}), 2);
  EXPECT_EQ(err_.str(), "quire: the color is missing; see quire lack --help\n");
}

TEST_F(CommandLineTest, SaysInOneLineWhatFailed) {
  EXPECT_EQ(Run({"fail"}), 1);
  EXPECT_EQ(err_.str(), "quire: the brush broke\n");
}

TEST_F(CommandLineTest, RefusesAFlagOfAnotherCommand) {
  EXPECT_EQ(Run({"paint", "door", "--paint_gloss"}), 2);
  EXPECT_EQ(err_.str(),
            "quire: there is no flag --paint_gloss; see quire paint --help\n");
  EXPECT_THAT(out_.str(), IsEmpty());
}

TEST_F(CommandLineTest, RefusesAValueThatIsWrong) {
  EXPECT_EQ(Run({"paint", "door", "--paint_layers=thick"}), 2);
  EXPECT_EQ(err_.str(),
            "quire: --paint_layers cannot be \"thick\", it must be a whole "
            "number, -2147483648 to 2147483647; see quire paint --help\n");
}

TEST_F(CommandLineTest, RefusesArgumentsWhereThereAreNone) {
  EXPECT_EQ(Run({"fail", "soon"}), 2);
  EXPECT_EQ(err_.str(),
            "quire: quire fail takes no arguments; see quire fail --help\n");
}

TEST_F(CommandLineTest, OutputThatCannotBeWrittenIsAnError) {
  out_.setstate(std::ios::badbit);
  EXPECT_EQ(Run({"paint", "door"}), 1);
  EXPECT_EQ(Run({"help"}), 1);
  EXPECT_EQ(Run({"help", "paint"}), 1);
  const std::string line = "quire: standard output cannot be written\n";
  EXPECT_EQ(err_.str(), line + line + line);
}

TEST_F(CommandLineTest, RefusesAnUnknownCommand) {
  const std::string line = "quire: there is no command sing; see quire help\n";
  EXPECT_EQ(Run({"sing"}), 2);
  EXPECT_EQ(Run({"help", "sing"}), 2);
  EXPECT_EQ(Run({"sing", "--help"}), 2);
  EXPECT_EQ(err_.str(), line + line + line);
}

TEST_F(CommandLineTest, RefusesALineWithoutItsCommand) {
  EXPECT_EQ(Run({}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("the command is missing"));
  EXPECT_EQ(Run({"--paint_layers=2", "paint"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("comes before all flags"));
}

TEST_F(CommandLineTest, HelpListsTheCommands) {
  EXPECT_EQ(Run({"help"}), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("paints a thing"),
                                HasSubstr("fail        fails")));
}

TEST_F(CommandLineTest, HelpOnACommandShowsItsOwnFlagsAndDefaults) {
  EXPECT_EQ(Run({"paint", "--help"}), 0);
  EXPECT_EQ(out_.str(),
            "quire paint paints a thing.\n\n"
            "Usage: quire paint THING [FLAGS]\n\n"
            "Use a brush.\n\n"
            "Flags:\n"
            "  --paint_layers=2\n"
            "      How often to paint, at the least.\n");
}

TEST_F(CommandLineTest, HelpWorksInFrontAndBehind) {
  EXPECT_EQ(Run({"help", "fail"}), 0);
  const std::string in_front = out_.str();
  out_.str("");
  EXPECT_EQ(Run({"fail", "-h"}), 0);
  EXPECT_EQ(out_.str(), in_front);
  out_.str("");
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("Commands:"));
}

}  // namespace
}  // namespace quire
