#include "client/json_lines.h"

#include <sstream>
#include <streambuf>
#include <string>

#include "gtest/gtest.h"

namespace quire {
namespace {

absl::Status TakeAll(std::istream& in) {
  return ForEachJsonLine(in, [](const auto&) { return absl::OkStatus(); });
}

std::string ErrorOf(const std::string& text) {
  std::istringstream in(text);
  return std::string(TakeAll(in).message());
}

// Gives a line and then fails, as a disk or a folder does.
class BrokenFile : public std::streambuf {
 public:
  BrokenFile() { setg(line_, line_, line_ + 3); }

 private:
  int_type underflow() override { throw std::ios_base::failure("broken"); }

  char line_[3] = {'{', '}', '\n'};
};

TEST(JsonLinesTest, SkipsEmptyLines) { EXPECT_EQ(ErrorOf("\n{}\n\n{}"), ""); }

TEST(JsonLinesTest, NamesTheLineThatIsNotAnObject) {
  EXPECT_EQ(ErrorOf("{}\n\n5\n"), "line 3: not a JSON object");
}

TEST(JsonLinesTest, SaysWhereALineIsNotJson) {
  EXPECT_EQ(ErrorOf("{}\n{\"a\": NaN}\n"),
            "line 2: not JSON: column 7: syntax error while parsing value - "
            "invalid literal; last read: '\"a\": N'");
  EXPECT_EQ(ErrorOf("{\"a\": 1e999}\n"),
            "line 1: not JSON: number overflow parsing '1e999'");
}

TEST(JsonLinesTest, NamesTheLineOfAnErrorOfItsTaker) {
  std::istringstream in("{}\n{}");
  const absl::Status status = ForEachJsonLine(
      in, [](const auto&) { return absl::NotFoundError("no luck"); });
  EXPECT_EQ(status, absl::NotFoundError("line 1: no luck"));
}

TEST(JsonLinesTest, NamesTheLineThatCannotBeRead) {
  BrokenFile file;
  std::istream in(&file);
  EXPECT_EQ(TakeAll(in), absl::DataLossError("line 2 cannot be read"));
}

}  // namespace
}  // namespace quire
