#include "scheduler/frontend/model_limits.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/frontend/byte_tokenizer.h"

namespace quire {
namespace {

using ::quire::testing::ByteTokenizer;
using ::testing::ElementsAre;

ModelConfig Config() {
  ModelConfig config;
  config.vocabulary_size = 300;
  config.context_length = 2048;
  config.eos_token_ids = {ByteTokenizer::kTurn};
  return config;
}

TEST(ModelLimitsTest, SizesAreTheModelsAndBytesTheTokenizers) {
  const ModelLimits limits = LimitsOf(Config(), ByteTokenizer());
  EXPECT_EQ(limits.vocabulary_size, 300u);
  EXPECT_EQ(limits.context_length, 2048u);
  EXPECT_EQ(limits.longest_token_bytes, 6u);  // "<turn>"
}

TEST(ModelLimitsTest, RequestsMayBeTwiceAsLongAsTheLongestText) {
  ModelLimits limits{.context_length = 2048, .longest_token_bytes = 6};
  EXPECT_EQ(MaxRequestBytes(limits), (8 << 20) + 2 * 2048 * 6);
  limits.context_length = ~0u;
  EXPECT_EQ(MaxRequestBytes(limits), 64 << 20);
}

TEST(ModelLimitsTest, BothSourcesSayWhatEndsAText) {
  EXPECT_THAT(LimitsOf(Config(), ByteTokenizer()).eos_token_ids,
              ElementsAre(ByteTokenizer::kEos, ByteTokenizer::kTurn));
}

TEST(ModelLimitsTest, EndTokensThatTheModelDoesNotHaveAreLeftOut) {
  ModelConfig config = Config();
  config.vocabulary_size = 258;
  config.eos_token_ids = {-1, 258};
  EXPECT_THAT(LimitsOf(config, ByteTokenizer()).eos_token_ids,
              ElementsAre(ByteTokenizer::kEos));
}

}  // namespace
}  // namespace quire
