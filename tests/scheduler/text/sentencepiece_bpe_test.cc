#include "scheduler/text/sentencepiece_bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/scheduler/text/error_of.h"
#include "tests/scheduler/text/small_tokenizers.h"

namespace quire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using SpacePrefix = TokenizerData::SpacePrefix;

std::vector<Token> Encode(const TokenizerData& data, std::string_view text,
                          bool at_start = true) {
  std::vector<Token> tokens;
  EXPECT_TRUE(SentencePieceBpe::Create(&data)
                  .value()
                  ->Encode(text, at_start, &tokens)
                  .ok());
  return tokens;
}

std::vector<std::string> EncodePieces(const TokenizerData& data,
                                      std::string_view text,
                                      bool at_start = true) {
  std::vector<std::string> pieces;
  for (const Token token : Encode(data, text, at_start))
    pieces.push_back(data.tokens[token].bytes);
  return pieces;
}

TEST(SentencePieceBpeTest, TheBestScoreMergesFirst) {
  TokenizerData data = testing::SmallSentencePieceData();
  EXPECT_THAT(EncodePieces(data, "ab a"), ElementsAre(" ab", " a"));
  data.tokens[262].type = TokenizerData::TokenType::kControl;  // " ab"
  std::swap(data.scores[260], data.scores[261]);  // " a" before "ab".
  EXPECT_THAT(EncodePieces(data, "ab"), ElementsAre(" a", "b"));
}

TEST(SentencePieceBpeTest, SpaceSignsAndSpacesAreTheSame) {
  EXPECT_EQ(Encode(testing::SmallSentencePieceData(), "a\u2581ab"),
            Encode(testing::SmallSentencePieceData(), "a ab"));
}

TEST(SentencePieceBpeTest, UnknownCharactersFallToBytes) {
  EXPECT_THAT(EncodePieces(testing::SmallSentencePieceData(), "\u00e9b"),
              ElementsAre(" ", "\xC3", "\xA9", "b"));
}

TEST(SentencePieceBpeTest,
     WithoutByteTokensTheyBecomeTheUnknownTokenOnceOrForEach) {
  TokenizerData data = testing::SmallSentencePieceData();
  data.tokens[65].type = TokenizerData::TokenType::kAbsent;
  EXPECT_THAT(EncodePieces(data, "xya"),
              ElementsAre(" ", "<unk>", "<unk>", "a"));
  data.fuses_unknown = true;
  EXPECT_THAT(EncodePieces(data, "xya"), ElementsAre(" ", "<unk>", "a"));
  data.unknown_token.reset();
  EXPECT_THAT(testing::ErrorOf(SentencePieceBpe::Create(&data)),
              HasSubstr("nor an unknown token"));
}

TEST(SentencePieceBpeTest, TheSpaceBeforeTheTextFollowsTheRule) {
  TokenizerData data = testing::SmallSentencePieceData();
  EXPECT_THAT(EncodePieces(data, " a", /*at_start=*/false),
              ElementsAre(" ", " a"));
  data.prefix_only_where_missing = true;
  EXPECT_THAT(EncodePieces(data, " a"), ElementsAre(" a"));
  data.space_prefix = SpacePrefix::kFirst;
  EXPECT_THAT(EncodePieces(data, "a", /*at_start=*/false), ElementsAre("a"));
  EXPECT_THAT(EncodePieces(data, "a", /*at_start=*/true), ElementsAre(" a"));
  data.space_prefix = SpacePrefix::kNever;
  EXPECT_THAT(EncodePieces(data, "a"), ElementsAre("a"));
}

TEST(SentencePieceBpeTest, TokensThatSpanWordsAreStillFound) {
  TokenizerData data = testing::SmallSentencePieceData();
  testing::AddToken(&data, "b a", TokenizerData::TokenType::kNormal);
  data.scores.push_back(-1000);
  data.space_prefix = SpacePrefix::kNever;
  EXPECT_THAT(EncodePieces(data, "b a"), ElementsAre("b a"));
  data.splits_at_spaces = true;
  EXPECT_THAT(EncodePieces(data, "b a"), ElementsAre("b", " a"));
}

// "xy" is a token, "x" and "y" are not: they are symbols only while they are
// merged.
TEST(SentencePieceBpeTest, CharactersThatAreOnlyPartsOfTokensMerge) {
  TokenizerData data = testing::SmallSentencePieceData();
  testing::AddToken(&data, "xy", TokenizerData::TokenType::kNormal);
  data.scores.push_back(-1000);
  EXPECT_THAT(EncodePieces(data, "axyx"), ElementsAre(" a", "xy", "x"));
}

}  // namespace
}  // namespace quire
