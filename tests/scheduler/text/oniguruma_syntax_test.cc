#include "scheduler/text/oniguruma_syntax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/scheduler/text/error_of.h"

namespace quire {
namespace {

using testing::ErrorOf;
using ::testing::HasSubstr;

TEST(OnigurumaSyntaxTest, CommonSyntaxStaysAsItIs) {
  for (const char* regex : {R"((?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})",
                            R"(a++|b?+|(?<!x)[\]\[a-z]|\x41\x{1F600})",
                            R"(^.|[!-/:-~]$|(?>a))", "[一-龥぀-ゟ]+"}) {
    EXPECT_EQ(OnigurumaToPcre2(regex).value(), regex);
  }
}

TEST(OnigurumaSyntaxTest, WhitespaceIsUnicodes) {
  EXPECT_EQ(OnigurumaToPcre2(R"(\s+(?!\S)|[^\s\p{L}])").value(),
            R"(\p{White_Space}+(?!\P{White_Space})|[^\p{White_Space}\p{L}])");
  EXPECT_EQ(OnigurumaToPcre2(R"(\\s)").value(), R"(\\s)");
}

TEST(OnigurumaSyntaxTest, WhatMeansSomethingElseIsRefusedByName) {
  const std::pair<const char*, const char*> refused[] = {
      {R"(\w+)", "uses '\\\\w' at byte 0"},
      {R"(a\b)", "\\\\b"},
      {R"(\h)", "\\\\h"},
      {"[a-z&&[^b]]", "&& at byte 4"},
      {"[a[bc]]", "a class within a class at byte 2"},
      {"[]a]", "an empty class"},
      {"[^]a]", "an empty class"},
      {"a{2}+", "}+ at byte 3"},
      {"(?m:a)", "a group of an unusual kind"},
      {"(*FAIL)", "(*"},
      {"a\\", "a lone \\"},
  };
  for (const auto& [regex, message] : refused) {
    EXPECT_THAT(ErrorOf(OnigurumaToPcre2(regex)), HasSubstr("UNIMPLEMENTED"))
        << regex;
    EXPECT_THAT(ErrorOf(OnigurumaToPcre2(regex)), HasSubstr(message)) << regex;
  }
}

}  // namespace
}  // namespace quire
