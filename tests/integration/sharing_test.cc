// Sharing is invisible in what is generated: samples of one request are those
// of separate requests, and a prompt that is found in the cache gives the bits
// of one that is computed.

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "scheduler/policy/preemption.h"
#include "tests/testing/generate_client.h"
#include "tests/testing/reference_prompts.h"
#include "tests/testing/test_cluster.h"

namespace quire {
namespace {

using quire::v1::GenerateRequest;

constexpr char kModel[] = "llama3rope_f32";

ServerOptions Options(uint32_t num_blocks = 0) {
  ServerOptions options;
  options.model = TinyModelPath(kModel);
  options.num_blocks = num_blocks;
  options.engine.max_step_tokens = 64;
  return options;
}

class SharingTest : public testing::TestWithParam<std::string> {
 protected:
  std::vector<std::string> Flags() const { return {"--compute=" + GetParam()}; }
  static void ExpectNothingHeld(TestCluster& cluster) {
    const quire::v1::StatusResponse status = cluster.WaitUntilIdle();
    EXPECT_EQ(status.blocks().active(), 0u);
    EXPECT_EQ(status.blocks().free() + status.blocks().cached(),
              status.blocks().total());
    EXPECT_EQ(cluster.Metric("quire_consistency_violations_total"), 0);
  }

  std::mt19937_64 random_{5};
};

TEST_P(SharingTest, SamplesAreThoseOfSeparateRequests) {
  TestCluster cluster(Options(), Flags());
  for (const size_t length : {33, 40, 1}) {
    SCOPED_TRACE(length);
    const std::vector<Token> prompt = RandomTokens(random_, length);
    const double copies = cluster.Metric("quire_block_copies_total");
    GenerateRequest together = SampledRequest(prompt, 20, /*seed=*/7);
    together.set_n(4);
    const std::vector<Generated> samples =
        GenerateSequences(cluster.stub(), together);
    ASSERT_TRUE(samples[0].status.ok()) << samples[0].status.error_message();
    EXPECT_EQ(samples[0].usage.generated_tokens(), 80u);
    EXPECT_LE(cluster.Metric("quire_block_copies_total"), copies + 3);
    for (size_t index = 0; index < samples.size(); ++index) {
      GenerateRequest alone = SampledRequest(prompt, 20, 7 + index);
      alone.mutable_cache()->set_bypass(true);
      EXPECT_TRUE(SameBits(samples[index], Generate(cluster.stub(), alone)))
          << "sample " << index;
    }
  }
  ExpectNothingHeld(cluster);
}

TEST_P(SharingTest, TheBestSamplesAreTheBestOfAll) {
  TestCluster cluster(Options(), Flags());
  GenerateRequest request = SampledRequest(RandomTokens(random_, 20), 10, 3);
  request.set_n(5);
  std::vector<double> means;
  for (const Generated& sample : GenerateSequences(cluster.stub(), request)) {
    double sum = 0;
    for (const float logprob : sample.logprobs) sum += logprob;
    means.push_back(sum / 10);
  }
  std::ranges::sort(means, std::greater());
  request.set_n(2);
  request.set_best_of(5);
  std::vector<double> scores;
  for (const Generated& best : GenerateSequences(cluster.stub(), request)) {
    EXPECT_EQ(best.ids.size(), 10u);
    scores.push_back(best.score.value());
  }
  EXPECT_EQ(scores, std::vector<double>(means.begin(), means.begin() + 2));
}

// Conversations that begin alike or go on.
std::vector<GenerateRequest> Conversations(std::mt19937_64& random) {
  std::vector<GenerateRequest> requests;
  std::vector<std::vector<Token>> prompts;
  for (int i = 0; i < 200; ++i) {
    const bool goes_on = !prompts.empty() && i % 4 != 0;
    std::vector<Token> prompt;
    if (goes_on) prompt = prompts[random() % prompts.size()];
    const std::vector<Token> own = RandomTokens(random, 10 + random() % 40);
    prompt.insert(prompt.end(), own.begin(), own.end());
    if (prompt.size() > 150) prompt.resize(150);
    prompts.push_back(prompt);
    requests.push_back(SampledRequest(prompt, 12 + random() % 40, /*seed=*/i));
  }
  return requests;
}

// First each alone and computed, then in random order out of a cache that holds
// a part of them, in a pool that holds a few: victims of either kind return.
TEST_P(SharingTest, AHitGivesTheBitsOfAMiss) {
  const std::vector<GenerateRequest> requests = Conversations(random_);
  std::vector<Generated> alone;
  {
    TestCluster cluster(Options(), Flags());
    for (GenerateRequest request : requests) {
      request.mutable_cache()->set_bypass(true);
      alone.push_back(Generate(cluster.stub(), request));
      ASSERT_TRUE(alone.back().status.ok());
      EXPECT_EQ(alone.back().usage.cached_prompt_tokens(), 0u);
    }
  }
  for (const PreemptionMode mode :
       {PreemptionMode::kRecompute, PreemptionMode::kSwap}) {
    SCOPED_TRACE(AbslUnparseFlag(mode));
    // 30 blocks of 16 slots: three of the longest.
    ServerOptions options = Options(/*num_blocks=*/30);
    options.engine.preemption = mode;
    // So that no row is computed in vain but those of wrong drafts.
    options.engine.pipeline_depth = 1;
    std::vector<std::string> flags = Flags();
    flags.push_back("--host_kv_memory=16MiB");
    TestCluster cluster(options, flags);
    std::vector<size_t> order(requests.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random_);
    uint64_t prompt_tokens = 0;
    uint64_t cached_tokens = 0;
    uint64_t read_tokens = 0;  // Generated ones that are read again.
    for (size_t begin = 0; begin < order.size(); begin += 8) {
      std::vector<GenerateRequest> batch;
      for (size_t i = begin; i < begin + 8; ++i) {
        batch.push_back(requests[order[i]]);
      }
      const std::vector<Generated> answers = GenerateAll(cluster.stub(), batch);
      for (size_t i = 0; i < answers.size(); ++i) {
        ASSERT_TRUE(answers[i].status.ok())
            << answers[i].status.error_message();
        EXPECT_TRUE(SameBits(answers[i], alone[order[begin + i]]))
            << "request " << order[begin + i];
        prompt_tokens += answers[i].usage.prompt_tokens();
        cached_tokens += answers[i].usage.cached_prompt_tokens();
        read_tokens += answers[i].ids.size() - 1;
      }
    }
    EXPECT_GT(cached_tokens, prompt_tokens / 8);
    EXPECT_GT(cluster.Metric("quire_block_evictions_total"), 0);
    EXPECT_GT(cluster.Metric(absl::StrCat("quire_preemptions_total{kind=\"",
                                          AbslUnparseFlag(mode), "\"}")),
              0);
    const double wrong_drafts =
        cluster.Metric("quire_draft_tokens_total") -
        cluster.Metric("quire_right_draft_tokens_total");
    EXPECT_EQ(cluster.Metric("quire_step_tokens_sum"),
              static_cast<double>(prompt_tokens - cached_tokens + read_tokens) +
                  cluster.Metric("quire_recomputed_tokens_total") +
                  wrong_drafts);
    ExpectNothingHeld(cluster);
  }
}

TEST_P(SharingTest, ACommonPrefixIsComputedOnce) {
  TestCluster cluster(Options(), Flags());
  const std::vector<Token> common = RandomTokens(random_, 100);
  std::vector<GenerateRequest> requests;
  for (int i = 0; i < 16; ++i) {
    std::vector<Token> prompt = common;
    const std::vector<Token> own = RandomTokens(random_, 8);
    prompt.insert(prompt.end(), own.begin(), own.end());
    requests.push_back(SampledRequest(prompt, 4, i));
  }
  for (const Generated& answer : GenerateAll(cluster.stub(), requests)) {
    EXPECT_TRUE(answer.status.ok());
  }
  // Six blocks of 16 are common; each computes the other 12 tokens.
  EXPECT_EQ(cluster.Metric("quire_prompt_tokens_total"), 96 + 16 * 12);
  ExpectNothingHeld(cluster);
}

INSTANTIATE_TEST_SUITE_P(Compute, SharingTest,
                         testing::Values(std::string("f32"),
                                         std::string("auto")),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace quire
