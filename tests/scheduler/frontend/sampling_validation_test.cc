#include "scheduler/frontend/sampling_validation.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/scheduler/frontend/text_proto.h"

namespace quire {
namespace {

using ::quire::testing::FromText;
using ::quire::testing::ToText;

std::string Resolved(const std::string& options) {
  const auto sampling =
      ResolveSampling(FromText<v1::SamplingOptions>(options),
                      /*vocabulary_size=*/1000, /*random_seed=*/99);
  return sampling.ok() ? ToText(*sampling) : sampling.status().ToString();
}

// A field that is not printed is 0.
TEST(SamplingValidationTest, DefaultsAreThoseOfTheApi) {
  EXPECT_EQ(Resolved(""),
            "temperature: 1 top_p: 1 repetition_penalty: 1 seed: 99");
}

TEST(SamplingValidationTest, WhatTheClientSaysIsTaken) {
  EXPECT_EQ(Resolved("temperature: 0.5 top_k: 40 top_p: 0.25 min_p: 0.125 "
                     "repetition_penalty: 1.5 "
                     "presence_penalty: -0.5 frequency_penalty: 0.75 seed: "
                     "18446744073709551615"),
            "temperature: 0.5 top_k: 40 top_p: 0.25 min_p: 0.125 "
            "repetition_penalty: 1.5 "
            "presence_penalty: -0.5 frequency_penalty: 0.75 seed: "
            "18446744073709551615");
}

TEST(SamplingValidationTest, AGivenSeedOfZeroIsNotRandom) {
  EXPECT_EQ(Resolved("seed: 0"),
            "temperature: 1 top_p: 1 repetition_penalty: 1");
}

TEST(SamplingValidationTest, GreedyIgnoresWhatNarrowsTheChoice) {
  EXPECT_EQ(Resolved("temperature: 0 top_k: 5 top_p: 0.5 min_p: 0.5 seed: 1 "
                     "presence_penalty: 1"),
            "top_p: 1 repetition_penalty: 1 presence_penalty: 1 seed: 1");
  EXPECT_EQ(Resolved("temperature: -0.0 seed: 1"),
            "top_p: 1 repetition_penalty: 1 seed: 1");
}

TEST(SamplingValidationTest, TopKOfTheWholeVocabularyIsOff) {
  EXPECT_EQ(Resolved("top_k: 999 seed: 1"),
            "temperature: 1 top_k: 999 top_p: 1 repetition_penalty: 1 seed: 1");
  EXPECT_EQ(Resolved("top_k: 1000 seed: 1"),
            "temperature: 1 top_p: 1 repetition_penalty: 1 seed: 1");
  EXPECT_EQ(Resolved("top_k: 4294967295 seed: 1"),
            "temperature: 1 top_p: 1 repetition_penalty: 1 seed: 1");
}

TEST(SamplingValidationTest, BiasesComeInOrderOfTheirIds) {
  EXPECT_EQ(Resolved("logit_bias { key: 9 value: 1 } logit_bias { key: 3 "
                     "value: -2 } logit_bias { key: 5 value: 3 }"),
            "temperature: 1 top_p: 1 repetition_penalty: 1 seed: 99 "
            "bias_tokens: 3 bias_tokens: 5 bias_tokens: 9 bias_values: -2 "
            "bias_values: 3 bias_values: 1");
}

TEST(SamplingValidationTest, BiasesHaveAMostNumber) {
  v1::SamplingOptions options;
  for (int i = 0; i < 1024; ++i) (*options.mutable_logit_bias())[i] = 1;
  EXPECT_TRUE(ResolveSampling(options, /*vocabulary_size=*/5000, 0).ok());
  (*options.mutable_logit_bias())[1024] = 1;
  EXPECT_EQ(
      ResolveSampling(options, /*vocabulary_size=*/5000, 0).status(),
      absl::InvalidArgumentError(
          "sampling.logit_bias has 1025 entries; it must have at most 1024"));
}

}  // namespace
}  // namespace quire
