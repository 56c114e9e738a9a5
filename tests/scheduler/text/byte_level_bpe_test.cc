#include "scheduler/text/byte_level_bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scheduler/text/small_tokenizers.h"

namespace quire {
namespace {

using ::testing::ElementsAre;
using TokenType = TokenizerData::TokenType;

std::vector<Token> Encode(const TokenizerData& data, std::string_view text) {
  std::vector<Token> tokens;
  EXPECT_TRUE(ByteLevelBpe::Create(&data)
                  .value()
                  ->Encode(text, /*at_start=*/true, &tokens)
                  .ok());
  return tokens;
}

TEST(ByteLevelBpeTest, MergesWithinWords) {
  EXPECT_THAT(Encode(testing::SmallByteLevelData(), "abc ab"),
              ElementsAre(257, ' ', 256));
  EXPECT_THAT(Encode(testing::SmallByteLevelData(), "a!b"),
              ElementsAre('a', '!', 'b'));
}

TEST(ByteLevelBpeTest, EarlierMergesGoFirst) {
  TokenizerData data = testing::SmallByteLevelData();
  std::swap(data.merges[0], data.merges[2]);  // " a" before "ab".
  EXPECT_THAT(Encode(data, " ab"), ElementsAre(258, 'b'));
}

TEST(ByteLevelBpeTest, AWordThatIsATokenNeedsMergesUnlessTheyAreIgnored) {
  TokenizerData data = testing::SmallByteLevelData();
  const Token word = testing::AddToken(&data, "xyz", TokenType::kNormal);
  EXPECT_THAT(Encode(data, "xyz"), ElementsAre('x', 'y', 'z'));
  data.ignore_merges = true;
  EXPECT_THAT(Encode(data, "xyz"), ElementsAre(word));
}

TEST(ByteLevelBpeTest,
     BytesWithoutATokenBecomeAnOrdinaryUnknownTokenOrNothing) {
  TokenizerData data = testing::SmallByteLevelData();
  data.tokens['q'].type = TokenType::kAbsent;
  EXPECT_THAT(Encode(data, "aqb"), ElementsAre('a', 'b'));
  data.unknown_token = data.bos_token_id;  // A control token is not for text.
  EXPECT_THAT(Encode(data, "aqb"), ElementsAre('a', 'b'));
  data.unknown_token = '?';
  EXPECT_THAT(Encode(data, "aqb"), ElementsAre('a', '?', 'b'));
}

TEST(ByteLevelBpeTest, MergesNeverMakeAControlToken) {
  TokenizerData data = testing::SmallByteLevelData();
  data.tokens[256].type = TokenType::kControl;  // "ab"
  data.ignore_merges = true;
  EXPECT_THAT(Encode(data, "ab"), ElementsAre('a', 'b'));
}

}  // namespace
}  // namespace quire
