#include "scheduler/text/template_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace quire {
namespace {

using ::testing::ElementsAre;
using Kind = TemplateTerm::Kind;

// Literals in quotes, variables by kind; a stripped term ends with "|".
std::string Describe(const TemplateForm& form) {
  std::string text;
  for (const TemplateTerm& term : form.terms) {
    static const char* kNames[] = {"",    "role", "content", "system",
                                   "bos", "eos",  "other"};
    if (!text.empty()) text += " ";
    text += term.kind == Kind::kLiteral ? "'" + term.text + "'"
                                        : kNames[static_cast<int>(term.kind)];
    if (term.strips) text += "|";
  }
  return text;
}

std::vector<std::string> Describe(const std::string& source) {
  std::vector<std::string> descriptions;
  for (const TemplateForm& form : ReadForms(source))
    descriptions.push_back(Describe(form));
  return descriptions;
}

TEST(TemplateFormTest, ReadsConcatenations) {
  EXPECT_THAT(Describe("{{ bos_token + '[A]' + message['role'] ~ "
                       "message.content + eos_token }}"),
              ElementsAre("bos '[A]' role content eos"));
  EXPECT_THAT(
      Describe("{{messages[0]['content']}}{{ system_message }}{{ date }}"),
      ElementsAre("system", "system", "other"));
}

TEST(TemplateFormTest, FiltersBelongToTheTermBeforeThem) {
  EXPECT_THAT(
      Describe(
          "{{ ' a ' + message['content'] | trim + content.strip() + ' b ' }}"),
      ElementsAre("' a ' content| content| ' b '"));
}

TEST(TemplateFormTest, UnescapesLiterals) {
  EXPECT_THAT(Describe(R"({{ 'a\n\t\'\\\d' + "b'" }})"),
              ElementsAre("'a\n\t'\\\\d' 'b''"));
}

TEST(TemplateFormTest, TextBehindAnExpressionBelongsToIt) {
  EXPECT_THAT(Describe("{% if x %}\n{{ content }}\n{% endif %}\n"),
              ElementsAre("content '\n'"));
  EXPECT_THAT(Describe("{%- if x %}\n  {{- content }}\n{%- endif %}\n"),
              ElementsAre("content"));
}

TEST(TemplateFormTest, OtherExpressionsAreLeftOut) {
  EXPECT_THAT(Describe("{{ raise_exception('no') }}{{ a if b else c }}{{ x | "
                       "tojson }}{{ (a) }}{{ }}{{ 'open }}{{ '"),
              ElementsAre());
}

TEST(TemplateFormTest, KeepsAssignmentsAndWhatStandsBefore) {
  const auto forms = ReadForms(
      "{% set content = '<<' + system_message %}{% if loop.last %}{{ content "
      "}}");
  ASSERT_EQ(forms.size(), 2u);
  EXPECT_EQ(forms[0].variable, "content");
  EXPECT_EQ(Describe(forms[0]), "'<<' system");
  EXPECT_EQ(forms[1].variable, "");
  EXPECT_EQ(forms[1].guard, "if loop.last");
}

TEST(TemplateFormTest, AnswersWhatItHolds) {
  const TemplateForm form = ReadForms("{{ 'a' + 'b' + content + 'c' }}")[0];
  EXPECT_EQ(form.LeadingText(), "ab");
  EXPECT_TRUE(form.HasText("c"));
  EXPECT_FALSE(form.HasText("ab"));
  EXPECT_FALSE(form.IsLiteral());
  EXPECT_TRUE(form.Has(Kind::kContent));
  EXPECT_FALSE(form.Has(Kind::kRole));
}

}  // namespace
}  // namespace quire
