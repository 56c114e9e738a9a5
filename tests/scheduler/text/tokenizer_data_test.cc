#include "scheduler/text/tokenizer_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/scheduler/text/error_of.h"
#include "tests/scheduler/text/small_tokenizers.h"

namespace quire {
namespace {

using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::SmallByteLevelData;

// What Validate says once `change` has been made to good data.
template <typename Change>
std::string ErrorAfter(Change change) {
  TokenizerData data = SmallByteLevelData();
  EXPECT_TRUE(data.Validate().ok());
  change(data);
  return ErrorOf(data.Validate());
}

TEST(TokenizerDataTest, IdsBeyondTheVocabularyAreRefused) {
  EXPECT_THAT(
      ErrorAfter([](auto& data) { data.merges[0].result = 262; }),
      HasSubstr("a merge names token 262, but the vocabulary has 262 tokens"));
  EXPECT_THAT(ErrorAfter([](auto& data) { data.prefix = {-1}; }),
              HasSubstr("names token -1"));
  EXPECT_THAT(ErrorAfter([](auto& data) { data.eos_token_ids = {999}; }),
              HasSubstr("end of sequence names token 999"));
  EXPECT_THAT(ErrorAfter([](auto& data) { data.bos_token_id = 999; }),
              HasSubstr("beginning of sequence"));
  EXPECT_THAT(ErrorAfter([](auto& data) { data.unknown_token = 999; }),
              HasSubstr("unknown token"));
  EXPECT_THAT(ErrorAfter([](auto& data) { data.special_tokens[0].id = 999; }),
              HasSubstr("a special token names"));
}

TEST(TokenizerDataTest, SizesHaveLimits) {
  EXPECT_THAT(ErrorAfter([](auto& data) { data = {}; }),
              HasSubstr("the vocabulary has 0 tokens"));
  EXPECT_THAT(
      ErrorAfter([](auto& data) { data.tokens[7].bytes.assign(4097, 'x'); }),
      HasSubstr("token 7 is 4097 bytes long, the limit is 4096"));
  EXPECT_THAT(ErrorAfter([](auto& data) {
                data.scores = {1, 2};
              }),
              HasSubstr("there are 2 scores for 262 tokens"));
}

TEST(TokenizerDataTest, SpecialTokensAndScoresMustMakeSense) {
  EXPECT_THAT(ErrorAfter([](auto& data) { data.special_tokens[0].text = ""; }),
              HasSubstr("is 0 bytes long"));
  EXPECT_THAT(
      ErrorAfter([](auto& data) { data.special_tokens[0].text = "\xFF"; }),
      HasSubstr("not valid UTF-8"));
  EXPECT_THAT(ErrorAfter([](auto& data) {
                data.scores.assign(data.tokens.size(),
                                   std::numeric_limits<float>::quiet_NaN());
              }),
              HasSubstr("a score is not a number"));
}

TEST(TokenizerDataTest, WellKnownEndTokensAreAddedOnce) {
  TokenizerData data = SmallByteLevelData();
  const Token end = testing::AddSpecial(&data, {.text = "<|im_end|>"});
  const Token other = testing::AddSpecial(&data, {.text = "<|endoftext|>"});
  testing::AddSpecial(&data, {.text = "<|eot_id|>", .is_control = false});
  data.eos_token_ids = {other};
  AddWellKnownEndTokens(&data);
  EXPECT_THAT(data.eos_token_ids, ElementsAre(other, end));
}

}  // namespace
}  // namespace quire
