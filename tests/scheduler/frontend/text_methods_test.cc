#include "scheduler/frontend/text_methods.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/scheduler/frontend/byte_tokenizer.h"
#include "tests/scheduler/frontend/text_proto.h"

namespace quire {
namespace {

using ::quire::testing::ByteTokenizer;
using ::quire::testing::FromText;
using ::quire::testing::ToText;
using ::quire::testing::TurnTemplate;

class TextMethodsTest : public ::testing::Test {
 protected:
  std::string Tokenized(const std::string& text) {
    const auto request = FromText<v1::TokenizeRequest>(text);
    const absl::Status checked = CheckTokenize(request, encoder_);
    if (!checked.ok()) return std::string(checked.message());
    const auto response = Tokenize(request, encoder_);
    return response.ok() ? ToText(*response)
                         : std::string(response.status().message());
  }

  std::string Detokenized(const std::string& text) {
    const auto request = FromText<v1::DetokenizeRequest>(text);
    const absl::Status checked = CheckDetokenize(request, limits_);
    if (!checked.ok()) return std::string(checked.message());
    return Detokenize(request, tokenizer_).text();
  }

  ByteTokenizer tokenizer_;
  TurnTemplate template_;
  // One token more than the tokenizer knows: a padded vocabulary.
  const ModelLimits limits_ = {
      .vocabulary_size = ByteTokenizer::kVocabularySize + 1,
      .context_length = 4};
  const PromptEncoder encoder_{&tokenizer_, &template_, absl::OkStatus(),
                               limits_.vocabulary_size};
};

TEST_F(TextMethodsTest, TokenizesTexts) {
  EXPECT_EQ(Tokenized("text: 'a<eos>'"), "ids: 256 ids: 97 ids: 257");
  EXPECT_EQ(Tokenized("text: '<eos>' parse_special: false add_special: false"),
            "ids: 60 ids: 101 ids: 111 ids: 115 ids: 62");
  EXPECT_EQ(Tokenized("text: '' add_special: false"), "");
}

TEST_F(TextMethodsTest, TokenizesChatsAndShowsWhatWasTokenized) {
  EXPECT_EQ(
      Tokenized(
          "chat { messages { role: 'user' } add_generation_prompt: false }"),
      "ids: 258 ids: 117 ids: 115 ids: 101 ids: 114 ids: 58 rendered: "
      "\"<turn>user:\"");
}

TEST_F(TextMethodsTest, RefusesWhatCannotBeTokenized) {
  EXPECT_EQ(Tokenized(""), "input is not set; it must be one of text and chat");
  EXPECT_EQ(Tokenized("chat {}"),
            "chat.messages has 0 entries; it must have at least 1");
  EXPECT_EQ(Tokenized("chat { messages { role: 'king' } }"),
            "chat: message 0 has the role king");
  EXPECT_EQ(Tokenized("text: '\\001'"), "text has byte 1");
}

TEST_F(TextMethodsTest, InputsHaveAMostSize) {
  v1::TokenizeRequest text;
  text.set_text(std::string(kMaxTokenizeBytes, 'x'));
  EXPECT_TRUE(CheckTokenize(text, encoder_).ok());
  text.mutable_text()->push_back('x');
  EXPECT_EQ(CheckTokenize(text, encoder_),
            absl::InvalidArgumentError(
                "text has 4194305 bytes; it must have at most 4194304"));

  v1::DetokenizeRequest ids;
  ids.mutable_ids()->Resize(kMaxDetokenizeIds, 1);
  EXPECT_TRUE(CheckDetokenize(ids, limits_).ok());
  ids.add_ids(1);
  EXPECT_EQ(CheckDetokenize(ids, limits_),
            absl::InvalidArgumentError(
                "ids has 262145 entries; it must have at most 262144"));
}

TEST_F(TextMethodsTest, ChatsAreRefusedWithoutATemplate) {
  const PromptEncoder encoder(&tokenizer_, nullptr,
                              absl::UnimplementedError("no"),
                              limits_.vocabulary_size);
  EXPECT_EQ(CheckTokenize(FromText<v1::TokenizeRequest>("chat { messages {} }"),
                          encoder),
            absl::UnimplementedError("chat: no"));
}

TEST_F(TextMethodsTest, DetokenizesWithSpecialTokensWrittenOut) {
  EXPECT_EQ(Detokenized("ids: [256, 72, 105, 257]"), "<bos>Hi<eos>");
  EXPECT_EQ(Detokenized(""), "");
}

TEST_F(TextMethodsTest, DetokenizedTextIsValidUtf8) {
  EXPECT_EQ(Detokenized("ids: [97, 255, 98, 226, 130]"),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
  EXPECT_EQ(Detokenized("ids: [226, 130, 172]"), "€");
}

TEST_F(TextMethodsTest, IdsAreOfTheVocabulary) {
  EXPECT_EQ(Detokenized("ids: [97, 260]"),
            "ids[1] is 260; it must be at least 0 and below the vocabulary "
            "size, 260");
  EXPECT_EQ(
      Detokenized("ids: -1"),
      "ids[0] is -1; it must be at least 0 and below the vocabulary size, 260");
  EXPECT_EQ(Detokenized("ids: [97, 259, 98]"), "ab");
}

}  // namespace
}  // namespace quire
