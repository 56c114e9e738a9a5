#include "scheduler/text/split_patterns_by_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/text/pre_tokenizer.h"
#include "tests/scheduler/text/error_of.h"

namespace quire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Words(std::string_view name, std::string_view text) {
  const auto pre_tokenizer =
      PreTokenizer::Create(FindNamedSplit(name).value().steps).value();
  SplitPattern::Scratch scratch;
  std::vector<std::string> words;
  EXPECT_TRUE(
      pre_tokenizer
          .Split(text, &scratch,
                 [&](std::string_view word) { words.emplace_back(word); })
          .ok());
  return words;
}

TEST(SplitPatternsByNameTest, NamesDifferInHowTheyCutDigitsAndSigns) {
  const char* text = "x2024 (a+b)";
  EXPECT_THAT(Words("gpt-2", text),
              ElementsAre("x", "2024", " (", "a", "+", "b", ")"));
  EXPECT_THAT(Words("smollm", text),
              ElementsAre("x", "2", "0", "2", "4", " (", "a", "+", "b", ")"));
  EXPECT_THAT(Words("llama-bpe", text),
              ElementsAre("x", "202", "4", " (", "a", "+b", ")"));
  EXPECT_THAT(Words("qwen2", text),
              ElementsAre("x", "2", "0", "2", "4", " (", "a", "+b", ")"));
  EXPECT_THAT(Words("default", text),
              ElementsAre("x", "202", "4", " ", "(", "a", "+", "b", ")"));
}

TEST(SplitPatternsByNameTest, AliasesMeanTheSame) {
  EXPECT_EQ(Words("starcoder", "a12"), Words("smollm", "a12"));
  EXPECT_EQ(Words("llama3", "a1234"), Words("llama-bpe", "a1234"));
  EXPECT_TRUE(FindNamedSplit("llama3")->ignore_merges);
  EXPECT_TRUE(FindNamedSplit("qwen2")->normalizes_nfc);
}

TEST(SplitPatternsByNameTest, AnUnknownNameIsRefused) {
  EXPECT_THAT(testing::ErrorOf(FindNamedSplit("tekken")),
              HasSubstr("UNIMPLEMENTED: pre-tokenizer 'tekken' "
                        "(tokenizer.ggml.pre) is not known"));
}

}  // namespace
}  // namespace quire
