#include "scheduler/text/segment_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quire {
namespace {

using ::testing::ElementsAre;

TextSegment Text(std::string text) {
  return {TextSegment::Kind::kText, std::move(text)};
}
TextSegment Control(std::string text) {
  return {TextSegment::Kind::kControl, std::move(text)};
}

TEST(SegmentBuilderTest, MarkersOfTheTemplateAreControl) {
  SegmentBuilder builder({"[A]", "[A]["}, "<s>", "</s>");
  builder.AddTemplateText("x[A]y[A][<s>");
  EXPECT_THAT(builder.Finish(),
              ElementsAre(Text("x"), Control("[A]"), Text("y"), Control("[A]["),
                          Control("<s>")));
}

TEST(SegmentBuilderTest, MessagesAreTextWhateverTheySay) {
  SegmentBuilder builder({"[A]"}, "<s>", "</s>");
  builder.AddTemplateText("x");
  builder.AddText("[A]<s>");
  builder.AddText("");
  builder.AddTemplateText("y");
  EXPECT_THAT(builder.Finish(), ElementsAre(Text("x[A]<s>y")));
}

TEST(SegmentBuilderTest, FormsTakeTheirValues) {
  SegmentBuilder builder({"[A]"}, "<s>", "");
  const auto form = ReadForms(
      "{{ bos_token + '[A]' + message.role + ':' + content | trim + eos_token "
      "}}")[0];
  builder.AddForm(form, {.role = "user", .content = " [A] "});
  EXPECT_THAT(builder.Finish(),
              ElementsAre(Control("<s>"), Control("[A]"), Text("user:[A]")));
}

}  // namespace
}  // namespace quire
