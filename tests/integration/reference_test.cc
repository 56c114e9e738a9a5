// Whole answers of a scheduler and a worker in float32 against what Hugging
// Face transformers answer to the same prompts.

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/generate_client.h"
#include "tests/testing/model_converter.h"
#include "tests/testing/reference_prompts.h"
#include "tests/testing/temporary_folder.h"
#include "tests/testing/test_cluster.h"

namespace quire {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

constexpr float kLogprobTolerance = 1e-3f;

std::vector<Generated> AnswerAlone(
    TestCluster& cluster, const std::vector<ReferencePrompt>& prompts) {
  std::vector<Generated> answers;
  for (const ReferencePrompt& prompt : prompts) {
    answers.push_back(Generate(
        cluster.stub(),
        GreedyRequest(prompt.prompt_ids,
                      static_cast<uint32_t>(prompt.greedy_ids.size()))));
  }
  return answers;
}

void ExpectReference(const std::vector<Generated>& answers,
                     const std::vector<ReferencePrompt>& prompts) {
  ASSERT_EQ(answers.size(), prompts.size());
  for (size_t i = 0; i < prompts.size(); ++i) {
    SCOPED_TRACE(prompts[i].text.substr(0, 60));
    ASSERT_TRUE(answers[i].status.ok()) << answers[i].status.error_message();
    EXPECT_EQ(answers[i].ids, prompts[i].greedy_ids);
    EXPECT_THAT(answers[i].logprobs, Pointwise(FloatNear(kLogprobTolerance),
                                               prompts[i].greedy_logprobs));
    EXPECT_THAT(
        answers[i].prompt_logprobs,
        Pointwise(FloatNear(kLogprobTolerance), prompts[i].prompt_logprobs));
  }
}

class TinyReferenceTest
    : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(TinyReferenceTest, GreedyTokensAndLogProbabilitiesAreEqual) {
  const auto& [name, instruction_set] = GetParam();
  ServerOptions options;
  options.model = TinyModelPath(name);
  TestCluster cluster(
      options, {"--compute=f32", "--instruction_set=" + instruction_set});
  const std::vector<ReferencePrompt> prompts = TinyReference(name);
  ExpectReference(AnswerAlone(cluster, prompts), prompts);
}

INSTANTIATE_TEST_SUITE_P(
    Models, TinyReferenceTest,
    ::testing::Combine(::testing::ValuesIn(TinyModels()),
                       ::testing::Values(std::string("scalar"),
                                         std::string("auto"))),
    [](const auto& info) {
      return std::get<0>(info.param) + "_" + std::get<1>(info.param);
    });

TEST(SmolLm2ReferenceTest, GreedyTokensAndLogProbabilitiesAreEqual) {
  const std::optional<std::string> model = SmolLm2Path();
  if (!model.has_value()) GTEST_SKIP() << "deploy/local/fetch_model first";
  ServerOptions options;
  options.model = *model;
  TestCluster cluster(options, {"--compute=f32"});
  const std::vector<ReferencePrompt> prompts = SmolLm2Reference();
  ExpectReference(AnswerAlone(cluster, prompts), prompts);
}

}  // namespace
}  // namespace quire
