#include "scheduler/text/sentencepiece_text.h"

#include <gtest/gtest.h>

namespace quire {
namespace {

TEST(SentencepieceTextTest, SpaceSignsBecomeSpaces) {
  EXPECT_EQ(SpaceSignsToSpaces("\u2581the\u2581\u2581"), " the  ");
  EXPECT_EQ(SpaceSignsToSpaces("plain"), "plain");
  EXPECT_EQ(SpaceSignsToSpaces(""), "");
}

TEST(SentencepieceTextTest, ReadsByteTokens) {
  EXPECT_EQ(ParseByteToken("<0x0A>"), '\n');
  EXPECT_EQ(ParseByteToken("<0xff>"), '\xFF');
  for (const char* other :
       {"<0x0>", "<0x0AB>", "<0xG0>", "<0x+1>", "<0x 1>", "0x0A", ""}) {
    EXPECT_EQ(ParseByteToken(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace quire
