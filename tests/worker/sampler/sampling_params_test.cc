#include "worker/sampler/sampling_params.h"

#include <functional>
#include <limits>
#include <string>

#include "gtest/gtest.h"

namespace quire {
namespace {

using worker::v1::Sampling;

constexpr int64_t kVocabulary = 100;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Sampling Neutral() {
  Sampling s;
  s.set_top_p(1);
  s.set_repetition_penalty(1);
  return s;
}

TEST(SamplingParamsTest, NeutralValuesSwitchEverythingOff) {
  const auto params = SamplingParams::FromProto(Neutral(), kVocabulary);
  ASSERT_TRUE(params.ok()) << params.status();
  EXPECT_TRUE(params->is_greedy());
  EXPECT_FALSE(params->has_penalties());
}

TEST(SamplingParamsTest, EveryFieldArrives) {
  Sampling s = Neutral();
  s.set_temperature(0.5);
  s.set_top_k(7);
  s.set_top_p(0.25);
  s.set_min_p(0.125);
  s.set_repetition_penalty(1.5);
  s.set_presence_penalty(-1);
  s.set_frequency_penalty(2);
  s.set_seed(~uint64_t{0});
  s.add_bias_tokens(3);
  s.add_bias_values(-4);
  s.set_min_tokens(9);
  s.add_banned_until_min_tokens(99);
  s.add_bad_words()->add_tokens(5);
  s.set_top_logprobs(64);
  s.set_top_prompt_logprobs(63);
  const auto params = SamplingParams::FromProto(s, kVocabulary);
  ASSERT_TRUE(params.ok()) << params.status();
  EXPECT_EQ(params->temperature, 0.5f);
  EXPECT_EQ(params->top_k, 7);
  EXPECT_EQ(params->top_p, 0.25f);
  EXPECT_EQ(params->min_p, 0.125f);
  EXPECT_EQ(params->repetition_penalty, 1.5f);
  EXPECT_EQ(params->presence_penalty, -1);
  EXPECT_EQ(params->frequency_penalty, 2);
  EXPECT_EQ(params->seed, ~uint64_t{0});
  ASSERT_EQ(params->bias.size(), 1u);
  EXPECT_EQ(params->bias[0].token, 3);
  EXPECT_EQ(params->bias[0].value, -4);
  EXPECT_EQ(params->min_tokens, 9u);
  EXPECT_EQ(params->banned_until_min_tokens, std::vector<Token>{99});
  EXPECT_EQ(params->bad_words, std::vector<std::vector<Token>>{{5}});
  EXPECT_EQ(params->top_logprobs, 64);
  EXPECT_EQ(params->top_prompt_logprobs, 63);
}

struct BadSampling {
  const char* name;
  const char* message;
  std::function<void(Sampling*)> spoil;
};

class SamplingParamsRefusalTest : public testing::TestWithParam<BadSampling> {};

TEST_P(SamplingParamsRefusalTest, NamesTheField) {
  Sampling s = Neutral();
  GetParam().spoil(&s);
  const absl::Status status =
      SamplingParams::FromProto(s, kVocabulary).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), GetParam().message);
}

const BadSampling kBad[] = {
    {"TemperatureBelowZero",
     "sampling.temperature is -1, must be finite and at least 0",
     [](Sampling* s) { s->set_temperature(-1); }},
    {"TemperatureNan",
     "sampling.temperature is nan, must be finite and at least 0",
     [](Sampling* s) { s->set_temperature(kNan); }},
    {"TemperatureInfinite",
     "sampling.temperature is inf, must be finite and at least 0",
     [](Sampling* s) { s->set_temperature(kInfinity); }},
    {"TopKBelowZero", "sampling.top_k is -1, must be at least 0",
     [](Sampling* s) { s->set_top_k(-1); }},
    {"TopPZero", "sampling.top_p is 0, must be in (0, 1]",
     [](Sampling* s) { s->set_top_p(0); }},
    {"TopPAboveOne", "sampling.top_p is 1.5, must be in (0, 1]",
     [](Sampling* s) { s->set_top_p(1.5); }},
    {"MinPAboveOne", "sampling.min_p is 2, must be in [0, 1]",
     [](Sampling* s) { s->set_min_p(2); }},
    {"RepetitionPenaltyZero",
     "sampling.repetition_penalty is 0, must be finite and above 0",
     [](Sampling* s) { s->set_repetition_penalty(0); }},
    {"PresencePenaltyNan", "sampling.presence_penalty is nan, must be finite",
     [](Sampling* s) { s->set_presence_penalty(kNan); }},
    {"FrequencyPenaltyInfinite",
     "sampling.frequency_penalty is inf, must be finite",
     [](Sampling* s) { s->set_frequency_penalty(kInfinity); }},
    {"TopLogprobs", "sampling.top_logprobs is 65, must be at most 64",
     [](Sampling* s) { s->set_top_logprobs(65); }},
    {"TopPromptLogprobs",
     "sampling.top_prompt_logprobs is 4000000000, must be at most 64",
     [](Sampling* s) { s->set_top_prompt_logprobs(4'000'000'000); }},
    {"BiasArrays", "sampling has 1 bias_tokens and 0 bias_values",
     [](Sampling* s) { s->add_bias_tokens(1); }},
    {"BiasToken",
     "sampling.bias_tokens names token 100, the vocabulary has 100",
     [](Sampling* s) {
       s->add_bias_tokens(100);
       s->add_bias_values(1);
     }},
    {"BiasTokenTwice",
     "sampling.bias_tokens names token 7 twice, must be distinct",
     [](Sampling* s) {
       for (const Token token : {7, 8, 7}) {
         s->add_bias_tokens(token);
         s->add_bias_values(1);
       }
     }},
    {"BiasValue", "sampling.bias_values is nan, must be finite",
     [](Sampling* s) {
       s->add_bias_tokens(1);
       s->add_bias_values(kNan);
     }},
    {"BannedToken",
     "sampling.banned_until_min_tokens names token -1, the vocabulary has 100",
     [](Sampling* s) { s->add_banned_until_min_tokens(-1); }},
    {"EmptyBadWord", "sampling.bad_words has an empty one",
     [](Sampling* s) { s->add_bad_words(); }},
    {"BadWordToken",
     "sampling.bad_words names token 101, the vocabulary has 100",
     [](Sampling* s) { s->add_bad_words()->add_tokens(101); }},
};

INSTANTIATE_TEST_SUITE_P(Fields, SamplingParamsRefusalTest,
                         testing::ValuesIn(kBad),
                         [](const testing::TestParamInfo<BadSampling>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace quire
