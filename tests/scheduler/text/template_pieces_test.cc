#include "scheduler/text/template_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace quire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "text", "{{expression}}", "{%statement%}".
std::vector<std::string> Cut(const std::string& source) {
  std::vector<std::string> pieces;
  for (const TemplatePiece& piece : CutTemplate(source)) {
    switch (piece.kind) {
      case TemplatePiece::Kind::kText:
        pieces.push_back(piece.text);
        break;
      case TemplatePiece::Kind::kExpression:
        pieces.push_back("{{" + piece.text + "}}");
        break;
      case TemplatePiece::Kind::kStatement:
        pieces.push_back("{%" + piece.text + "%}");
        break;
    }
  }
  return pieces;
}

TEST(TemplatePiecesTest, CutsTextExpressionsAndStatements) {
  EXPECT_THAT(Cut("a{% if x %}b{{ y + 'z' }}c"),
              ElementsAre("a", "{%if x%}", "b", "{{y + 'z'}}", "c"));
  EXPECT_THAT(Cut(""), IsEmpty());
}

TEST(TemplatePiecesTest, SignsStripWhitespace) {
  EXPECT_THAT(Cut("a \n {%- if x -%} \n b {{- y -}} c"),
              ElementsAre("a", "{%if x%}", "b", "{{y}}", "c"));
}

TEST(TemplatePiecesTest, StatementsTakeTheirLineAlong) {
  EXPECT_THAT(Cut("a\n  {% if x %}\n  b\n{% endif %}\nc"),
              ElementsAre("a\n", "{%if x%}", "  b\n", "{%endif%}", "c"));
  EXPECT_THAT(Cut("a  {% if x %}"), ElementsAre("a  ", "{%if x%}"));
  EXPECT_THAT(Cut("a\n  {%+ if x %}"), ElementsAre("a\n  ", "{%if x%}"));
}

TEST(TemplatePiecesTest, ExpressionsLeaveTheirLineAlone) {
  EXPECT_THAT(Cut("a\n  {{ x }}\nb"), ElementsAre("a\n  ", "{{x}}", "\nb"));
}

TEST(TemplatePiecesTest, QuotedDelimitersDoNotClose) {
  EXPECT_THAT(Cut(R"({{ '}}' + "\"}}" }}b)"),
              ElementsAre(R"({{'}}' + "\"}}"}})", "b"));
}

TEST(TemplatePiecesTest, CommentsAndTheLastNewlineAreLeftOut) {
  EXPECT_THAT(Cut("a{# no #}\nb\n"), ElementsAre("a", "b"));
}

TEST(TemplatePiecesTest, WhatIsNeverClosedIsText) {
  EXPECT_THAT(Cut("a{{ b"), ElementsAre("a", "{{ b"));
  EXPECT_THAT(Cut("a{"), ElementsAre("a{"));
  EXPECT_THAT(Cut("{%"), ElementsAre("{%"));
}

}  // namespace
}  // namespace quire
