// A model divided among several real workers: what they answer, and that any of
// them may die or hang in mid-stream. In every step the ranks compare the ids,
// positions and block tables that they compute with (--check_agreement).

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/testing/generate_client.h"
#include "tests/testing/reference_prompts.h"
#include "tests/testing/test_cluster.h"

namespace quire {
namespace {

constexpr char kModel[] = "llama3rope_f32";
// Of two log-probabilities that rounding may order either way.
constexpr float kNearTie = 1e-3f;

ServerOptions OptionsFor(const std::string& model, uint32_t num_ranks) {
  ServerOptions options;
  options.model = model;
  options.world_size = num_ranks;
  return options;
}

std::vector<std::string> Flags(std::vector<std::string> more) {
  more.emplace_back("--check_agreement");
  more.emplace_back("--threads=1");
  return more;
}

quire::v1::GenerateRequest Long(int prompt, uint32_t max_tokens) {
  return GreedyRequest(TinyReference(kModel)[prompt].prompt_ids, max_tokens);
}

// Equal tokens up to the first where two are as likely, but for rounding.
void ExpectReference(const Generated& answer, const ReferencePrompt& prompt) {
  ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
  ASSERT_EQ(answer.ids.size(), prompt.greedy_ids.size());
  for (size_t i = 0; i < answer.ids.size(); ++i) {
    ASSERT_NEAR(answer.logprobs[i], prompt.greedy_logprobs[i], kNearTie) << i;
    if (answer.ids[i] != prompt.greedy_ids[i]) return;
  }
}

void ExpectReferences(TestCluster& cluster,
                      const std::vector<ReferencePrompt>& prompts) {
  for (const ReferencePrompt& prompt : prompts) {
    SCOPED_TRACE(prompt.text.substr(0, 60));
    ExpectReference(
        Generate(cluster.stub(), GreedyRequest(prompt.prompt_ids,
                                               static_cast<uint32_t>(
                                                   prompt.greedy_ids.size()))),
        prompt);
  }
}

struct Division {
  std::string model;
  uint32_t num_ranks;
};

class TinyDivisionTest : public ::testing::TestWithParam<Division> {};

// Five ranks: two of them have the same KV head.
INSTANTIATE_TEST_SUITE_P(Models, TinyDivisionTest,
                         ::testing::Values(Division{"llama3rope_f32", 2},
                                           Division{"mistral_f16", 4},
                                           Division{"qwen2_bf16", 5}),
                         [](const auto& info) { return info.param.model; });

TEST_P(TinyDivisionTest, AnswersAreTheReferences) {
  const auto& [model, num_ranks] = GetParam();
  TestCluster cluster(OptionsFor(TinyModelPath(model), num_ranks),
                      Flags({"--compute=f32"}));
  ExpectReferences(cluster, TinyReference(model));
}

class SmolLm2DivisionTest : public ::testing::TestWithParam<uint32_t> {};

INSTANTIATE_TEST_SUITE_P(Ranks, SmolLm2DivisionTest, ::testing::Values(2, 3));

TEST_P(SmolLm2DivisionTest, AnswersAreTheReferences) {
  const std::optional<std::string> model = SmolLm2Path();
  if (!model.has_value()) GTEST_SKIP() << "deploy/local/fetch_model first";
  TestCluster cluster(OptionsFor(*model, GetParam()), Flags({"--compute=f32"}));
  std::vector<ReferencePrompt> prompts = SmolLm2Reference();
  prompts.resize(4);
  ExpectReferences(cluster, prompts);
}

TEST(SeveralRanksTest, AnswersDoNotDependOnTheBatch) {
  TestCluster cluster(OptionsFor(TinyModelPath(kModel), 2), Flags({}));
  std::vector<quire::v1::GenerateRequest> requests;
  requests.reserve(6);
  for (int i = 0; i < 6; ++i) {
    requests.push_back(i % 2 == 0
                           ? Long(i, 60)
                           : SampledRequest(TinyReference(kModel)[i].prompt_ids,
                                            60, /*seed=*/i));
  }
  std::vector<Generated> alone;
  alone.reserve(requests.size());
  for (const auto& request : requests) {
    alone.push_back(Generate(cluster.stub(), request));
  }
  const std::vector<Generated> together = GenerateAll(cluster.stub(), requests);
  for (size_t i = 0; i < requests.size(); ++i) {
    EXPECT_TRUE(SameBits(together[i], alone[i])) << i;
  }
}

// Calls `strike` when the stream has brought its first tokens.
Generated GenerateAndStrike(TestCluster& cluster,
                            const quire::v1::GenerateRequest& request,
                            const std::function<void()>& strike) {
  bool struck = false;
  return Generate(cluster.stub(), request,
                  [&](const quire::v1::GenerateResponse& response) {
                    if (struck || response.token_ids().empty()) return;
                    struck = true;
                    strike();
                  });
}

struct Killing {
  std::string communicator;
  uint32_t num_kills;
  uint32_t num_tokens;
};

class KilledRankTest : public ::testing::TestWithParam<Killing> {};

INSTANTIATE_TEST_SUITE_P(Communicators, KilledRankTest,
                         ::testing::Values(Killing{"shm", 10, 400},
                                           Killing{"gloo", 3, 60}),
                         [](const auto& info) {
                           return info.param.communicator;
                         });

TEST_P(KilledRankTest, StreamsContinueWhicheverRankDies) {
  constexpr uint32_t kRanks = 3;
  const auto& [communicator, num_kills, num_tokens] = GetParam();
  TestCluster cluster(OptionsFor(TinyModelPath(kModel), kRanks),
                      Flags({"--communicator=" + communicator}));
  const quire::v1::GenerateRequest request = Long(0, num_tokens);
  const Generated undisturbed = Generate(cluster.stub(), request);
  for (uint32_t round = 0; round < num_kills; ++round) {
    const uint32_t rank = round % kRanks;
    const uint64_t epoch = cluster.Status().epoch();
    const Generated disturbed = GenerateAndStrike(cluster, request, [&] {
      cluster.KillWorker(rank);
      cluster.StartWorker(rank);
    });
    ASSERT_TRUE(disturbed.status.ok()) << disturbed.status.error_message();
    EXPECT_TRUE(SameBits(disturbed, undisturbed)) << "rank " << rank;
    EXPECT_EQ(disturbed.usage.generated_tokens(), num_tokens);
    EXPECT_GT(cluster.Status().epoch(), epoch);
  }
  EXPECT_EQ(cluster.WaitUntilIdle().blocks().active(), 0u);
  EXPECT_EQ(cluster.Metric("quire_consistency_violations_total"), 0);
}

// The ranks that wait for it in a collective give up, not the scheduler.
TEST(SeveralRanksTest, AHungRankEndsItsEpochAndStreamsContinue) {
  TestCluster cluster(OptionsFor(TinyModelPath(kModel), 2),
                      Flags({"--collective_timeout=500ms"}));
  const quire::v1::GenerateRequest request = Long(0, 400);
  const Generated undisturbed = Generate(cluster.stub(), request);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    std::thread waker;
    const Generated disturbed = GenerateAndStrike(cluster, request, [&] {
      cluster.worker(rank).Pause();
      waker = std::thread([&] {
        while (cluster.Status().ready()) absl::SleepFor(absl::Milliseconds(5));
        cluster.worker(rank).Resume();
      });
    });
    waker.join();
    ASSERT_TRUE(disturbed.status.ok()) << disturbed.status.error_message();
    EXPECT_TRUE(SameBits(disturbed, undisturbed));
  }
}

}  // namespace
}  // namespace quire
