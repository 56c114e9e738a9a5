#include "scheduler/frontend/text_output_filter.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "tests/scheduler/frontend/byte_tokenizer.h"

namespace quire {
namespace {

using ::quire::testing::Bytes;
using ::quire::testing::ByteTokenizer;

// A filter over bytes. Shows what a client would have seen, with "|" between
// what two tokens made visible.
class TextOutputFilterTest : public ::testing::Test {
 protected:
  void Use(const TextOutputFilter::Options& options) {
    filter_ = std::make_unique<TextOutputFilter>(&tokenizer_, options);
  }

  // The visible text of each byte of `text`; ends with "#stop" at a stop
  // string.
  std::string Show(std::string_view text) {
    std::string shown;
    for (Token token : Bytes(text)) {
      const OutputFilter::Output output =
          filter_->Append(token, /*ends=*/false);
      shown += output.text + "|";
      if (output.stop) return shown + "#" + *output.stop;
    }
    return shown;
  }

  // The end by a stop token: what the token and then Finish show.
  std::string End(Token token) {
    const std::string shown = filter_->Append(token, /*ends=*/true).text;
    return shown + "|" + filter_->Finish();
  }

  ByteTokenizer tokenizer_;
  std::unique_ptr<TextOutputFilter> filter_;
};

TEST_F(TextOutputFilterTest, TextPassesAtOnceWithoutStopStrings) {
  Use({});
  EXPECT_EQ(Show("abc"), "a|b|c|");
  EXPECT_EQ(filter_->Finish(), "");
}

TEST_F(TextOutputFilterTest, ACharacterComesWithItsLastByte) {
  Use({});
  EXPECT_EQ(Show("aü€"), "a||ü|||€|");
}

TEST_F(TextOutputFilterTest, AnUnfinishedCharacterIsReplacedAtTheEnd) {
  Use({});
  EXPECT_EQ(Show("a\xe2\x82"), "a|||");
  EXPECT_EQ(filter_->Finish(), "\xef\xbf\xbd");
}

TEST_F(TextOutputFilterTest, WhatMayBecomeAStopStringIsHeldBack) {
  Use({.stop = {"END"}});
  EXPECT_EQ(Show("aENx"), "a|||ENx|");
  EXPECT_EQ(Show("EN"), "||");
  EXPECT_EQ(filter_->Finish(), "EN");
}

TEST_F(TextOutputFilterTest, AStopStringIsCutOff) {
  Use({.stop = {"END"}});
  EXPECT_EQ(Show("aEND"), "a||||#END");
}

TEST_F(TextOutputFilterTest, AStopStringIsKeptWhereAskedFor) {
  Use({.stop = {"END"}, .include_stop = true});
  EXPECT_EQ(Show("aEND"), "a|||END|#END");
}

TEST_F(TextOutputFilterTest, AStopStringMayEndInAMultiByteCharacter) {
  Use({.stop = {"€"}, .include_stop = true});
  EXPECT_EQ(Show("a€"), "a|||€|#€");
}

TEST_F(TextOutputFilterTest, ControlTokensAreNotShown) {
  Use({});
  EXPECT_EQ(filter_->Append(ByteTokenizer::kTurn, /*ends=*/false).text, "");
  EXPECT_EQ(Show("a"), "a|");
}

TEST_F(TextOutputFilterTest, AStopTokensTextIsNotShown) {
  Use({});
  EXPECT_EQ(Show("a"), "a|");
  EXPECT_EQ(End(ByteTokenizer::kEos), "|");
  Use({});
  EXPECT_EQ(End('\n'), "|");
}

TEST_F(TextOutputFilterTest,
       AStopTokensTextIsShownWhereAskedForEvenOfAControlToken) {
  Use({.include_stop = true});
  EXPECT_EQ(End(ByteTokenizer::kEos), "|<eos>");
  Use({.include_stop = true});
  EXPECT_EQ(End('\n'), "|\n");
}

TEST_F(TextOutputFilterTest, AStopTokensTextFollowsWhatWasHeldBack) {
  Use({.stop = {"END"}, .include_stop = true});
  EXPECT_EQ(Show("EN"), "||");
  // Even the letter that would have completed the stop string: the token ended
  // the sequence first.
  EXPECT_EQ(End('D'), "|END");
  Use({.stop = {"END"}, .include_stop = true});
  EXPECT_EQ(Show("E\xe2\x82"), "|||");
  EXPECT_EQ(End(ByteTokenizer::kEos), "|E\xef\xbf\xbd<eos>");
}

TEST_F(TextOutputFilterTest, HeldBackTextComesWhenAStopTokenEndsTheSequence) {
  Use({.stop = {"END"}});
  EXPECT_EQ(Show("aEN"), "a|||");
  EXPECT_EQ(End(ByteTokenizer::kEos), "|EN");
}

TEST_F(TextOutputFilterTest, StopStringsAreNotLookedForBeforeMinTokens) {
  Use({.stop = {"b"}, .min_tokens = 4});
  EXPECT_EQ(Show("abbbb"), "a|b|b||#b");
  Use({.stop = {"bb"}, .min_tokens = 4});
  // The second token's b is not searched, the fourth's is.
  EXPECT_EQ(Show("abxbb"), "a|b|x|||#bb");
  Use({.stop = {"b"}, .min_tokens = 1});
  EXPECT_EQ(Show("b"), "|#b");
}

TEST_F(TextOutputFilterTest, TokensBeyondTheTokenizersVocabularyHaveNoText) {
  Use({.include_stop = true});
  EXPECT_EQ(
      filter_->Append(ByteTokenizer::kVocabularySize, /*ends=*/false).text, "");
  EXPECT_EQ(Show("a"), "a|");
  EXPECT_EQ(End(ByteTokenizer::kVocabularySize + 1), "|");
}

}  // namespace
}  // namespace quire
