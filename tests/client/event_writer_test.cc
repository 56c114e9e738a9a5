#include "client/event_writer.h"

#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using quire::v1::GenerateResponse;
using testing::HasSubstr;
using testing::IsEmpty;

class TestClock final : public Clock {
 public:
  absl::Time Now() const override { return now; }
  absl::Time now = absl::UnixEpoch();
};

// JSON is tested where the command is: generate_command_test.
class TextWriterTest : public testing::Test {
 protected:
  void Write(const std::vector<std::string>& texts) {
    const auto writer = MakeTextWriter(console_, clock_);
    for (const std::string& text : texts) {
      GenerateResponse event;
      event.set_text(text);
      writer->Write(event);
    }
    writer->End();
  }

  std::istringstream in_;
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_ = {.in = in_, .out = out_, .err = err_};
  TestClock clock_;
};

TEST_F(TextWriterTest, EndsTheLastLine) {
  Write({"a", "b"});
  EXPECT_EQ(out_.str(), "ab\n");
}

TEST_F(TextWriterTest, DoesNotEndALineTwice) {
  Write({"a\n", ""});
  EXPECT_EQ(out_.str(), "a\n");
}

TEST_F(TextWriterTest, WithoutTextThereIsNoLine) {
  Write({});
  EXPECT_THAT(out_.str(), IsEmpty());
}

TEST_F(TextWriterTest, TellsTheFiguresAtATerminalOnly) {
  GenerateResponse last;
  last.set_finish_reason(quire::v1::FINISH_REASON_LENGTH);
  last.mutable_usage()->set_prompt_tokens(12);
  last.mutable_usage()->set_cached_prompt_tokens(8);
  last.mutable_usage()->set_generated_tokens(50);
  for (const bool terminal : {false, true}) {
    console_.err_is_terminal = terminal;
    const auto writer = MakeTextWriter(console_, clock_);
    clock_.now += absl::Seconds(2);
    writer->Write(last);
    writer->End();
    EXPECT_EQ(err_.str().empty(), !terminal);
  }
  EXPECT_THAT(err_.str(), HasSubstr("12 prompt tokens (8 cached), 50 generated "
                                    "at 25.0 tokens/s, length"));
}

TEST_F(TextWriterTest, RemembersTheFinishReasonUntilTheUsageComes) {
  console_.err_is_terminal = true;
  GenerateResponse end;
  end.set_finish_reason(quire::v1::FINISH_REASON_STOP);
  GenerateResponse last;
  last.mutable_usage()->set_generated_tokens(50);
  const auto writer = MakeTextWriter(console_, clock_);
  writer->Write(end);
  writer->Write(last);
  writer->End();
  EXPECT_THAT(err_.str(), HasSubstr("tokens/s, stop"));
}

}  // namespace
}  // namespace quire
