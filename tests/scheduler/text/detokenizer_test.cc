#include "scheduler/text/detokenizer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "scheduler/text/utf8.h"
#include "tests/scheduler/text/small_tokenizers.h"

namespace quire {
namespace {

using testing::Make;
using testing::SmallByteLevelData;
using testing::SmallSentencePieceData;
using ControlTokens = Detokenizer::ControlTokens;

std::string Decode(const Tokenizer& tokenizer, const std::vector<Token>& tokens,
                   ControlTokens control = ControlTokens::kHide) {
  Detokenizer detokenizer(&tokenizer, control);
  std::string text;
  for (const Token token : tokens) text += detokenizer.Append(token);
  return text + detokenizer.Flush();
}

// In the small byte-level vocabulary a byte is its own id.
std::vector<Token> Bytes(const std::string& bytes) {
  std::vector<Token> tokens;
  for (const char byte : bytes)
    tokens.push_back(static_cast<unsigned char>(byte));
  return tokens;
}

TEST(DetokenizerTest, HoldsBackUntilACharacterIsWhole) {
  const auto tokenizer = Make(SmallByteLevelData());
  Detokenizer detokenizer(tokenizer.get());
  EXPECT_EQ(detokenizer.Append(0xE4), "");
  EXPECT_EQ(detokenizer.Append(0xBD), "");
  EXPECT_EQ(detokenizer.Append(0xA0), "\u4f60");
  EXPECT_EQ(detokenizer.Append('a'), "a");
  EXPECT_EQ(detokenizer.Flush(), "");
}

TEST(DetokenizerTest, WhatCannotBecomeACharacterIsReplaced) {
  const auto tokenizer = Make(SmallByteLevelData());
  Detokenizer detokenizer(tokenizer.get());
  EXPECT_EQ(detokenizer.Append(0xE4), "");
  EXPECT_EQ(detokenizer.Append('a'), "\uFFFDa");
  EXPECT_EQ(detokenizer.Append(0xFF), "\uFFFD");
  EXPECT_EQ(detokenizer.Append(0xF0), "");
  EXPECT_EQ(detokenizer.Append(0x9F), "");
  EXPECT_EQ(detokenizer.Flush(), "\uFFFD");
}

// What Python 3.11 says to bytes.decode(errors="replace").
TEST(DetokenizerTest, ReplacesAsPythonDoes) {
  const auto tokenizer = Make(SmallByteLevelData());
  const std::pair<std::string, std::string> cases[] = {
      {"\xE4\xBD", "\uFFFD"},
      {"\xE4\xBDx\xBD", "\uFFFDx\uFFFD"},
      {"\xF0\x9F\x91\xF0\x9F\x91\x8D", "\uFFFD\U0001F44D"},
      {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
      {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
      {"\xC0\x80", "\uFFFD\uFFFD"},
      {"\xE0\x80\x80", "\uFFFD\uFFFD\uFFFD"},
      {"\xF0\x80\x80", "\uFFFD\uFFFD\uFFFD"},
  };
  for (const auto& [bytes, text] : cases)
    EXPECT_EQ(Decode(*tokenizer, Bytes(bytes)), text);
}

TEST(DetokenizerTest, ControlTokensAreHiddenOrShown) {
  const auto tokenizer = Make(SmallByteLevelData());
  EXPECT_EQ(Decode(*tokenizer, {259, 256, 261, 260}), "ab<tool>");
  EXPECT_EQ(Decode(*tokenizer, {259, 256, 261, 260}, ControlTokens::kShow),
            "<s>ab<tool></s>");
}

TEST(DetokenizerTest, OnlyAWholeTextLosesTheSpaceBeforeItsFirstWord) {
  const auto tokenizer = Make(SmallSentencePieceData());
  const std::vector<Token> tokens{261, 261};  // " a", " a"
  EXPECT_EQ(Decode(*tokenizer, tokens, ControlTokens::kHide), " a a");
  EXPECT_EQ(Decode(*tokenizer, tokens, ControlTokens::kShow), "a a");
  EXPECT_EQ(Decode(*tokenizer, {*tokenizer->bos_token_id(), 261},
                   ControlTokens::kShow),
            "<s> a");
}

// The bytes decoded at once, by the rule that each maximal beginning of a
// character becomes one U+FFFD.
std::string DecodeAtOnce(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const Utf8Scan scan = ScanUtf8(bytes);
    const bool whole = scan.kind == Utf8Scan::Kind::kCharacter;
    text += whole ? std::string(bytes.substr(0, scan.length)) : "\uFFFD";
    bytes.remove_prefix(scan.length);
  }
  return text;
}

TEST(DetokenizerTest, PiecesAreValidAndLoseNothingWhereverTokensEnd) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    TokenizerData data = SmallByteLevelData();
    std::string bytes;
    std::vector<Token> tokens;
    for (int i = 0; i < 12; ++i) {
      std::string part;
      for (size_t length = random() % 5; length > 0; --length) {
        const int kind = static_cast<int>(random() % 3);
        if (kind == 0) part.push_back(static_cast<char>(random() % 256));
        if (kind == 1) part += "\U0001F44D\u4f60\u00e9a"[random() % 10];
        if (kind == 2) AppendUtf8(random() % 0xD800, &part);
      }
      tokens.push_back(
          testing::AddToken(&data, part, TokenizerData::TokenType::kNormal));
      bytes += part;
    }
    const auto tokenizer = Make(std::move(data));
    Detokenizer detokenizer(tokenizer.get());
    std::string text;
    for (const Token token : tokens) {
      const std::string piece = detokenizer.Append(token);
      ASSERT_EQ(FindInvalidUtf8(piece), std::string::npos);
      text += piece;
    }
    ASSERT_EQ(text + detokenizer.Flush(), DecodeAtOnce(bytes))
        << ::testing::PrintToString(bytes);
  }
}

}  // namespace
}  // namespace quire
