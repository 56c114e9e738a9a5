#include "scheduler/frontend/prompt_encoder.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/scheduler/frontend/byte_tokenizer.h"
#include "tests/scheduler/frontend/text_proto.h"

namespace quire {
namespace {

using ::quire::testing::Bytes;
using ::quire::testing::ByteTokenizer;
using ::quire::testing::FromText;
using ::quire::testing::TurnTemplate;

using Tokens = std::vector<Token>;

Tokens Concat(std::vector<Tokens> parts) {
  Tokens all;
  for (const Tokens& part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

class PromptEncoderTest : public ::testing::Test {
 protected:
  PromptEncoder EncoderWithoutTemplate(absl::Status refusal) {
    return PromptEncoder(&tokenizer_, nullptr, refusal,
                         ByteTokenizer::kVocabularySize);
  }

  std::vector<Tokens> BadWords(const std::vector<std::string>& words) {
    return BadWords(encoder_, words);
  }

  static std::vector<Tokens> BadWords(const PromptEncoder& encoder,
                                      const std::vector<std::string>& words) {
    const google::protobuf::RepeatedPtrField<std::string> field(words.begin(),
                                                                words.end());
    const auto encoded = encoder.EncodeBadWords(field);
    std::vector<Tokens> lists;
    for (const worker::v1::TokenList& list : *encoded)
      lists.emplace_back(list.tokens().begin(), list.tokens().end());
    return lists;
  }

  ByteTokenizer tokenizer_;
  TurnTemplate template_;
  const PromptEncoder encoder_{&tokenizer_, &template_, absl::OkStatus(),
                               ByteTokenizer::kVocabularySize};
};

TEST_F(PromptEncoderTest, AChatIsRenderedAndTokenized) {
  const auto chat = encoder_.EncodeChat(
      FromText<v1::Chat>("messages { role: 'user' content: 'Hi' }"));
  EXPECT_EQ(chat->text, "<turn>user:Hi<turn>assistant:");
  EXPECT_EQ(chat->tokens, Concat({{ByteTokenizer::kTurn},
                                  Bytes("user:Hi"),
                                  {ByteTokenizer::kTurn},
                                  Bytes("assistant:")}));
}

TEST_F(PromptEncoderTest, TheGenerationPromptCanBeLeftOut) {
  const std::string message =
      "messages { role: 'user' content: 'Hi' } add_generation_prompt: ";
  EXPECT_EQ(encoder_.EncodeChat(FromText<v1::Chat>(message + "false"))->text,
            "<turn>user:Hi");
  EXPECT_EQ(encoder_.EncodeChat(FromText<v1::Chat>(message + "true"))->text,
            "<turn>user:Hi<turn>assistant:");
}

TEST_F(PromptEncoderTest, ContentNeverBecomesAControlToken) {
  const auto chat = encoder_.EncodeChat(
      FromText<v1::Chat>("messages { role: 'user' content: '<eos>' } "
                         "add_generation_prompt: false"));
  EXPECT_EQ(chat->tokens,
            Concat({{ByteTokenizer::kTurn}, Bytes("user:<eos>")}));
}

TEST_F(PromptEncoderTest, WhatTheTemplateRefusesIsTheClientsMistake) {
  EXPECT_EQ(encoder_.EncodeChat(FromText<v1::Chat>("messages { role: 'king' }"))
                .status(),
            absl::InvalidArgumentError("chat: message 0 has the role king"));
}

TEST_F(PromptEncoderTest, WithoutATemplateChatsAreRefusedWithTheReason) {
  const auto chat =
      FromText<v1::Chat>("messages { role: 'user' content: 'Hi' }");
  const absl::Status unknown =
      absl::UnimplementedError("the template is of no known family");
  EXPECT_EQ(
      EncoderWithoutTemplate(unknown).EncodeChat(chat).status(),
      absl::UnimplementedError("chat: the template is of no known family"));
  EXPECT_EQ(EncoderWithoutTemplate(absl::OkStatus()).EncodeChat(chat).status(),
            absl::UnimplementedError("chat: this server has no chat template"));
}

TEST_F(PromptEncoderTest, ABadWordIsBannedAtTheStartOfATextAndAfterASpace) {
  EXPECT_EQ(BadWords({"no"}), std::vector<Tokens>({Bytes(" no"), Bytes("no")}));
}

// Puts a space before every text, as SentencePiece does.
class LeadingSpaceTokenizer final : public ByteTokenizer {
 public:
  absl::StatusOr<std::vector<Token>> Encode(
      std::string_view text, const EncodeOptions& options) const override {
    return ByteTokenizer::Encode(" " + std::string(text), options);
  }
};

TEST_F(PromptEncoderTest, ABadWordIsBannedWithinAWordToo) {
  LeadingSpaceTokenizer tokenizer;
  const PromptEncoder encoder(&tokenizer, nullptr, absl::OkStatus(),
                              ByteTokenizer::kVocabularySize);
  EXPECT_EQ(BadWords(encoder, {"no"}),
            std::vector<Tokens>({Bytes("  no"), Bytes(" no"), Bytes("no")}));
}

TEST_F(PromptEncoderTest, NoTokenStringIsBannedTwice) {
  EXPECT_EQ(BadWords({"a", " a", "a"}),
            std::vector<Tokens>({Bytes("  a"), Bytes(" a"), Bytes("a")}));
}

TEST_F(PromptEncoderTest,
       ABadWordGetsNoBeginningOfSequenceButMayBeASpecialToken) {
  EXPECT_EQ(
      BadWords({"<eos>"}),
      std::vector<Tokens>({{' ', ByteTokenizer::kEos}, {ByteTokenizer::kEos}}));
}

TEST_F(PromptEncoderTest, TokensThatTheModelDoesNotHaveAreRefused) {
  const PromptEncoder encoder(&tokenizer_, &template_, absl::OkStatus(),
                              /*vocabulary_size=*/257);
  EXPECT_EQ(
      encoder.EncodeText("a<eos>", {.add_special = false}).status(),
      absl::InvalidArgumentError("the text has token 257, which the tokenizer "
                                 "knows and the model does not; its "
                                 "vocabulary size is 257"));
  EXPECT_TRUE(encoder.EncodeText("a<bos>", {.add_special = false}).ok());
}

TEST_F(PromptEncoderTest, WhatTheTokenizerRefusesIsPassedOn) {
  EXPECT_EQ(encoder_.EncodeText("\1", {}).status(),
            absl::InvalidArgumentError("text has byte 1"));
}

}  // namespace
}  // namespace quire
