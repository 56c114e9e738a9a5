#include "scheduler/engine/prefix_sharing.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/engine/scheduler_fixture.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

// Blocks of 4 slots. Sequences are numbered in the order of Submit, from 1.
class PrefixSharingTest : public SchedulerFixture {
 protected:
  // 20 tokens, the first `num_common` of which all have in common.
  static std::vector<Token> PromptWithCommon(uint32_t num_common,
                                             uint64_t own) {
    std::vector<Token> prompt = MakePrompt(77, num_common);
    const std::vector<Token> rest = MakePrompt(own, 20 - num_common);
    prompt.insert(prompt.end(), rest.begin(), rest.end());
    return prompt;
  }
  uint32_t Cached(Client& client) {
    return client.Collect().usage.cached_prompt_tokens;
  }
  void SetUp() override { shape_.num_blocks = 64; }
};

TEST_F(PrefixSharingTest, AnEqualPromptComputesItsLastBlockOnly) {
  Start();
  Client& first = Submit({.prompt = PromptWithCommon(20, 1)});
  RunToEnd();
  Client& second = Submit({.prompt = PromptWithCommon(20, 1)});
  EXPECT_THAT(Runs().position(), ElementsAre(16));
  CommitStep();
  RunToEnd();
  ExpectServed(first);
  ExpectServed(second);
  EXPECT_EQ(Cached(first), 0u);
  EXPECT_EQ(Cached(second), 16u);
  EXPECT_EQ(metrics_->prefix_queries->Value(), 40);
  EXPECT_EQ(metrics_->prefix_hits->Value(), 16);
  ExpectIdle();
}

TEST_F(PrefixSharingTest, PromptsPartAtAFullBlock) {
  Start();
  Submit({.prompt = PromptWithCommon(11, 1)});
  RunToEnd();
  Client& second = Submit({.prompt = PromptWithCommon(11, 3)});
  RunToEnd();
  ExpectServed(second);
  EXPECT_EQ(Cached(second), 8u);
}

TEST_F(PrefixSharingTest, AConversationGoesOnWithWhatWasGenerated) {
  Start();
  const std::vector<Token> prompt = MakePrompt(1, 7);
  Client& first = Submit({.prompt = prompt, .max_tokens = 9});
  RunToEnd();
  std::vector<Token> longer = prompt;
  first.Collect();
  longer.insert(longer.end(), first.tokens.begin(), first.tokens.end());
  longer.push_back(5);
  Client& second = Submit({.prompt = longer});
  RunToEnd();
  ExpectServed(second);
  EXPECT_EQ(Cached(second), 12u);  // 15 slots were written: three blocks.
}

TEST_F(PrefixSharingTest, RequestsThatArriveTogetherComputeTheCommonPartOnce) {
  options_.max_step_tokens = 10;
  Start();
  for (int i = 0; i < 4; ++i) Submit({.prompt = PromptWithCommon(16, i)});
  EXPECT_THAT(Runs().sequence(), ElementsAre(1));
  EXPECT_EQ(num_available(), 64u - 6);  // Those that wait hold nothing.
  CommitStep();
  RunToEnd();
  for (Client& client : clients_) ExpectServed(client);
  EXPECT_EQ(metrics_->prompt_tokens->Value(), 20 + 3 * 4);
  ExpectIdle();
}

TEST_F(PrefixSharingTest, WhoeverWaitsGoesOnWhereTheWriterIsCancelled) {
  options_.max_step_tokens = 10;
  Start();
  Client& writer = Submit({.prompt = PromptWithCommon(16, 1)});
  Client& waiting = Submit({.prompt = PromptWithCommon(16, 2)});
  PlanStep();
  CommitStep();
  scheduler_->Cancel(writer.id, now_);
  EXPECT_THAT(Runs().sequence(), ElementsAre(2));
  CommitStep();
  RunToEnd();
  ExpectServed(waiting);
  EXPECT_EQ(Cached(waiting), 8u);  // What the first step had written.
  ExpectIdle();
}

TEST_F(PrefixSharingTest, OthersPassOneThatWaitsForAPrefix) {
  options_.max_step_tokens = 30;
  Start();
  Submit({.prompt = PromptWithCommon(16, 1)});
  Submit({.prompt = PromptWithCommon(16, 2)});
  Submit({.prompt = MakePrompt(3, 5)});
  EXPECT_THAT(Runs().sequence(), ElementsAre(1, 3));
  CommitStep();
  EXPECT_THAT(Runs().sequence(), testing::Contains(2));
  CommitStep();
  RunToEnd();
  for (Client& client : clients_) ExpectServed(client);
}

TEST_F(PrefixSharingTest, SaltsShareNothing) {
  Start();
  Submit({.prompt = PromptWithCommon(20, 1), .cache_salt = "a"});
  Submit({.prompt = PromptWithCommon(20, 1), .cache_salt = "b"});
  EXPECT_THAT(Runs().num_rows(), ElementsAre(20, 20));
  CommitStep();
  RunToEnd();
  Client& again =
      Submit({.prompt = PromptWithCommon(20, 1), .cache_salt = "b"});
  Client& other = Submit({.prompt = PromptWithCommon(20, 1)});
  RunToEnd();
  EXPECT_EQ(Cached(again), 16u);
  EXPECT_EQ(Cached(other), 0u);
}

TEST_F(PrefixSharingTest, ABypassNeitherReadsNorLeavesAnything) {
  Start();
  Submit({.prompt = PromptWithCommon(20, 1), .cache_bypass = true});
  RunToEnd();
  EXPECT_EQ(scheduler_->group()->prefixes().num_nodes(), 0u);
  Submit({.prompt = PromptWithCommon(20, 1)});
  RunToEnd();
  Client& third =
      Submit({.prompt = PromptWithCommon(20, 1), .cache_bypass = true});
  RunToEnd();
  EXPECT_EQ(Cached(third), 0u);
}

TEST_F(PrefixSharingTest, PromptScoresAreComputedForEveryToken) {
  Start();
  Submit({.prompt = PromptWithCommon(20, 1)});
  RunToEnd();
  Client& scored =
      Submit({.prompt = PromptWithCommon(20, 1), .prompt_logprobs = true});
  RunToEnd();
  ExpectServed(scored);
  EXPECT_THAT(scored.prompt_logprobs, SizeIs(19));
  EXPECT_EQ(Cached(scored), 0u);
}

TEST_F(PrefixSharingTest, ItCanBeSwitchedOff) {
  options_.prefix_cache = false;
  Start();
  for (int i = 0; i < 2; ++i) Submit({.prompt = PromptWithCommon(20, 1)});
  RunToEnd();
  for (Client& client : clients_) ExpectServed(client);
  EXPECT_EQ(metrics_->prompt_tokens->Value(), 40);
  EXPECT_EQ(scheduler_->group()->pool().num_cached(), 0u);
}

TEST_F(PrefixSharingTest, APreemptedRequestFindsItsOwnBlocksAgain) {
  shape_.num_blocks = 9;
  Start();
  Submit({.prompt = MakePrompt(1, 7), .max_tokens = 16});
  Client& second = Submit({.prompt = MakePrompt(2, 12), .max_tokens = 16});
  while (preemptions() == 0) PlanStep(), CommitStep();
  scheduler_->Cancel(clients_[0].id, now_);
  const worker::v1::Runs resumed = Runs();
  EXPECT_THAT(resumed.sequence(), ElementsAre(2));
  EXPECT_GE(resumed.position(0), 12u);
  CommitStep();
  RunToEnd();
  ExpectServed(second);
  ExpectIdle();
}

TEST_F(PrefixSharingTest, SamplesForkFromAPromptThatWasFound) {
  Start();
  Submit({.prompt = PromptWithCommon(20, 1)});
  RunToEnd();
  Client& samples =
      Submit({.prompt = PromptWithCommon(20, 1), .max_tokens = 5, .n = 3});
  RunToEnd();
  ExpectServed(samples);
  EXPECT_EQ(Cached(samples), 16u);
  ExpectIdle();
}

}  // namespace
}  // namespace quire
