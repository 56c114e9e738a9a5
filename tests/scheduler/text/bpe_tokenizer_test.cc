#include "scheduler/text/bpe_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/scheduler/text/error_of.h"
#include "tests/scheduler/text/small_tokenizers.h"

namespace quire {
namespace {

using ::testing::ElementsAre;
using testing::EncodePieces;
using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::Make;
using testing::Pieces;
using testing::SmallByteLevelData;
using testing::SmallSentencePieceData;

TextSegment Text(std::string text) {
  return {TextSegment::Kind::kText, std::move(text)};
}
TextSegment Control(std::string text) {
  return {TextSegment::Kind::kControl, std::move(text)};
}

std::vector<std::string> SegmentPieces(
    const Tokenizer& tokenizer, const std::vector<TextSegment>& segments) {
  return Pieces(tokenizer, tokenizer.EncodeSegments(segments).value());
}

TEST(BpeTokenizerTest, SpecialTokensAreParsedUnlessTheyAreNotWanted) {
  const auto tokenizer = Make(SmallByteLevelData());
  EXPECT_THAT(EncodePieces(*tokenizer, "ab<s>ab"),
              ElementsAre("ab", "<s>", "ab"));
  EXPECT_THAT(EncodePieces(*tokenizer, "<s><tool>", /*parse_special=*/false),
              ElementsAre("<", "s", ">", "<tool>"));
}

TEST(BpeTokenizerTest, TheModelsRuleAddsTokensWhereWanted) {
  TokenizerData data = SmallByteLevelData();
  data.suffix = data.eos_token_ids;
  const auto tokenizer = Make(std::move(data));
  EXPECT_THAT(Pieces(*tokenizer, tokenizer->Encode("ab", {}).value()),
              ElementsAre("<s>", "ab", "</s>"));
  EXPECT_THAT(Pieces(*tokenizer, tokenizer->Encode("", {}).value()),
              ElementsAre("<s>", "</s>"));
}

TEST(BpeTokenizerTest, NeighbouringTextSegmentsAreOneRun) {
  const auto tokenizer = Make(SmallByteLevelData());
  EXPECT_THAT(
      SegmentPieces(*tokenizer, {Control("<s>"), Text("a"), Text("bc"),
                                 Control("</s>"), Text("a"), Text("b")}),
      ElementsAre("<s>", "abc", "</s>", "ab"));
}

TEST(BpeTokenizerTest, TextSegmentsNeverBecomeControlTokens) {
  const auto tokenizer = Make(SmallByteLevelData());
  EXPECT_THAT(
      SegmentPieces(*tokenizer, {Text("<"), Text("s>"), Control("<s>")}),
      ElementsAre("<", "s", ">", "<s>"));
}

TEST(BpeTokenizerTest, RandomContentNeverBecomesAControlToken) {
  for (const TokenizerData& data :
       {SmallByteLevelData(), SmallSentencePieceData()}) {
    const auto tokenizer = Make(data);
    std::mt19937 random(1);
    for (int round = 0; round < 500; ++round) {
      std::vector<TextSegment> segments;
      for (int i = 0; i < 6; ++i) {
        const char* parts[] = {"<s>", "</s>", "<",   "s>",
                               "ab",  " ",    "/s>", "\u00e9"};
        segments.push_back(Text(parts[random() % 8]));
      }
      const auto tokens = tokenizer->EncodeSegments(segments).value();
      for (const Token token : tokens)
        ASSERT_FALSE(tokenizer->IsControl(token));
    }
  }
}

// As with [INST], which some vocabularies have as a token and others do not.
TEST(BpeTokenizerTest, AControlSegmentThatIsNoTokenJoinsTheTextAroundIt) {
  const auto tokenizer = Make(SmallByteLevelData());
  EXPECT_THAT(
      SegmentPieces(*tokenizer, {Text("a"), Control("b<s>a"), Text("bc")}),
      ElementsAre("ab", "<s>", "abc"));
}

TEST(BpeTokenizerTest, SpaceIsPutBeforeEachRunOrOnlyTheFirst) {
  TokenizerData data = SmallSentencePieceData();
  EXPECT_THAT(SegmentPieces(*Make(data), {Control("<s>"), Text("ab"),
                                          Control("</s>"), Text("a")}),
              ElementsAre("<s>", " ab", "</s>", " a"));
  data.space_prefix = TokenizerData::SpacePrefix::kFirst;
  EXPECT_THAT(
      SegmentPieces(*Make(data), {Text("ab"), Control("</s>"), Text("a")}),
      ElementsAre(" ab", "</s>", "a"));
  EXPECT_THAT(SegmentPieces(*Make(data), {Control("<s>"), Text("ab")}),
              ElementsAre("<s>", "ab"));
}

TEST(BpeTokenizerTest, TokensThatTakeWhitespaceAlongDoSoInChats) {
  TokenizerData data = SmallByteLevelData();
  testing::AddSpecial(
      &data, {.text = "<m>", .strips_left = true, .strips_right = true});
  const auto tokenizer = Make(std::move(data));
  EXPECT_THAT(SegmentPieces(*tokenizer, {Text("ab \n"), Control("<m>"),
                                         Text(" "), Text("ab")}),
              ElementsAre("ab", "<m>", "ab"));
  EXPECT_THAT(EncodePieces(*tokenizer, "ab \n<m> ab"),
              ElementsAre("ab", "<m>", "ab"));
}

TEST(BpeTokenizerTest, NormalizedTokensAreFoundInNormalizedText) {
  TokenizerData data = SmallByteLevelData();
  data.normalizes_nfc = true;
  testing::AddSpecial(
      &data, {.text = "\u00e9", .is_control = false, .is_normalized = true});
  testing::AddSpecial(&data, {.text = "\u00e8", .is_control = false});
  const auto tokenizer = Make(std::move(data));
  EXPECT_THAT(EncodePieces(*tokenizer, "ae\u0301"), ElementsAre("a", "\u00e9"));
  EXPECT_THAT(EncodePieces(*tokenizer, "e\u0300"), ElementsAre("\xC3", "\xA8"));
}

TEST(BpeTokenizerTest, InvalidUtf8IsRefusedWithThePlace) {
  const auto tokenizer = Make(SmallByteLevelData());
  EXPECT_THAT(
      ErrorOf(tokenizer->Encode("ab\xFF", {})),
      HasSubstr("INVALID_ARGUMENT: the text is not valid UTF-8 at byte 2"));
  EXPECT_THAT(ErrorOf(tokenizer->EncodeSegments({Text("\xC3"), Text("\xA9")})),
              HasSubstr("not valid UTF-8 at byte 0"));
}

TEST(BpeTokenizerTest, KnowsItsVocabulary) {
  const auto tokenizer = Make(SmallByteLevelData());
  EXPECT_EQ(tokenizer->vocabulary_size(), 262);
  EXPECT_EQ(tokenizer->TokenBytes(257), "abc");
  EXPECT_TRUE(tokenizer->IsControl(259));
  EXPECT_FALSE(tokenizer->IsControl(261));
  EXPECT_EQ(tokenizer->bos_token_id(), 259);
  EXPECT_THAT(tokenizer->eos_token_ids(), ElementsAre(260));
  EXPECT_FALSE(tokenizer->strips_leading_space());
  EXPECT_TRUE(Make(SmallSentencePieceData())->strips_leading_space());
}

TEST(BpeTokenizerTest, BrokenDataIsRefused) {
  TokenizerData data = SmallByteLevelData();
  data.splits = {{.pattern = "("}};
  EXPECT_THAT(ErrorOf(BpeTokenizer::Create(data)),
              HasSubstr("does not compile"));
  EXPECT_THAT(ErrorOf(BpeTokenizer::Create({})),
              HasSubstr("the vocabulary has 0 tokens"));
}

}  // namespace
}  // namespace quire
