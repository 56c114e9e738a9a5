// A request that was swapped to host memory and back gives the bits of one that
// was never disturbed, whether it has one sequence, several samples or beams;
// and what its sequences shared they share there and when they are back.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "absl/time/time.h"
#include "common/ids.h"
#include "gtest/gtest.h"
#include "scheduler/policy/preemption.h"
#include "tests/testing/generate_client.h"
#include "tests/testing/reference_prompts.h"
#include "tests/testing/test_cluster.h"

namespace quire {
namespace {

using quire::v1::GenerateRequest;

constexpr char kModel[] = "llama3rope_f32";
constexpr uint32_t kMaxTokens = 60;

// Of each request the sequences.
using Answers = std::vector<std::vector<Generated>>;

// Ten requests of at least `length` prompt tokens, and of fewer than twelve
// more.
template <typename Make>
std::vector<GenerateRequest> TenRequests(size_t length, Make make) {
  std::mt19937_64 random(11);
  std::vector<GenerateRequest> requests;
  for (int i = 0; i < 10; ++i) {
    requests.push_back(make(RandomTokens(random, length + random() % 12), i));
  }
  return requests;
}

GenerateRequest Greedy(const std::vector<Token>& prompt, int) {
  return GreedyRequest(prompt, kMaxTokens);
}

GenerateRequest ThreeSamples(const std::vector<Token>& prompt, int i) {
  GenerateRequest request = SampledRequest(prompt, kMaxTokens, /*seed=*/10 * i);
  request.set_n(3);
  return request;
}

GenerateRequest FourBeams(const std::vector<Token>& prompt, int) {
  GenerateRequest request = GreedyRequest(prompt, kMaxTokens);
  request.mutable_output()->clear_prompt_logprobs();
  request.mutable_beams()->set_beam_width(4);
  request.set_n(4);
  return request;
}

void ExpectSame(const Answers& answers, const Answers& alone) {
  for (size_t i = 0; i < alone.size(); ++i) {
    for (size_t s = 0; s < alone[i].size(); ++s) {
      SCOPED_TRACE(testing::Message() << "request " << i << ", sequence " << s);
      const Generated& answer = answers[i][s];
      EXPECT_TRUE(answer.status.ok()) << answer.status.error_message();
      EXPECT_TRUE(SameBits(answer, alone[i][s]));
      EXPECT_EQ(answer.usage.generated_tokens(),
                alone[i][s].usage.generated_tokens());
    }
  }
}

void ExpectNothingHeld(TestCluster& cluster) {
  const quire::v1::StatusResponse status = cluster.WaitUntilIdle();
  EXPECT_EQ(status.blocks().active(), 0u);
  EXPECT_EQ(status.blocks().free() + status.blocks().cached(),
            status.blocks().total());
  EXPECT_GT(status.blocks().host_total(), 0u);
  EXPECT_EQ(status.blocks().host_used(), 0u);
  EXPECT_EQ(cluster.Metric("quire_consistency_violations_total"), 0);
}

// By --compute, and by whether blocks are kept and found again.
class SwapEqualityTest
    : public testing::TestWithParam<std::tuple<std::string, bool>> {
 protected:
  static ServerOptions Options(uint32_t num_blocks) {
    ServerOptions options;
    options.model = TinyModelPath(kModel);
    options.num_blocks = num_blocks;
    options.step_timeout = absl::Hours(1);  // The worker is paused.
    options.engine.max_step_tokens = 64;
    options.engine.preemption = PreemptionMode::kSwap;
    options.engine.prefix_cache = has_cache();
    return options;
  }
  static std::vector<std::string> Flags() {
    return {"--compute=" + std::get<0>(GetParam()), "--host_kv_memory=16MiB"};
  }
  static bool has_cache() { return std::get<1>(GetParam()); }

  // One after the other, in a pool that is large. Neighbours differ, so that
  // one in the place of the other is noticed.
  static Answers ServeAlone(const std::vector<GenerateRequest>& requests) {
    TestCluster cluster(Options(/*num_blocks=*/0), Flags());
    Answers answers;
    for (const GenerateRequest& request : requests) {
      answers.push_back(GenerateSequences(cluster.stub(), request));
      const std::vector<Generated>& sequences = answers.back();
      for (size_t s = 0; s < sequences.size(); ++s) {
        EXPECT_EQ(sequences[s].ids.size(), kMaxTokens);
        if (s == 0) continue;
        EXPECT_NE(sequences[s].ids, sequences[s - 1].ids);
      }
    }
    EXPECT_EQ(cluster.Status().preemptions(), 0u);
    return answers;
  }

  // All at once. They arrive in `order` while the worker is paused, so who is
  // preempted and when is not up to the machine.
  static Answers ServeTogether(TestCluster& cluster,
                               const std::vector<GenerateRequest>& requests,
                               const std::vector<size_t>& order) {
    Answers answers(requests.size());
    std::vector<std::thread> threads;
    cluster.worker().Pause();
    for (const size_t i : order) {
      threads.emplace_back([&, i] {
        answers[i] = GenerateSequences(cluster.stub(), requests[i]);
      });
      cluster.WaitUntilOpen(static_cast<uint32_t>(threads.size()));
    }
    cluster.worker().Resume();
    for (std::thread& thread : threads) thread.join();
    return answers;
  }

  // In a pool of `num_blocks` everybody gets what it gets alone. The state
  // afterwards.
  static quire::v1::StatusResponse ExpectServedInSmallPool(
      const std::vector<GenerateRequest>& requests, uint32_t num_blocks) {
    const Answers alone = ServeAlone(requests);
    TestCluster cluster(Options(num_blocks), Flags());
    std::mt19937_64 random(3);
    std::vector<size_t> order(requests.size());
    std::iota(order.begin(), order.end(), 0);
    for (int round = 0; round < 2; ++round) {
      SCOPED_TRACE(testing::Message() << "round " << round);
      ExpectSame(ServeTogether(cluster, requests, order), alone);
      ExpectNothingHeld(cluster);
      std::ranges::shuffle(order, random);
    }
    const quire::v1::StatusResponse status = cluster.Status();
    EXPECT_GT(status.swap_preemptions(), 0u);
    EXPECT_GT(status.blocks_swapped_in(), 0u);
    return status;
  }
};

TEST_P(SwapEqualityTest, RequestsGiveTheBitsOfUndisturbedOnes) {
  // Prompts of two or three blocks that grow to six.
  ExpectServedInSmallPool(TenRequests(25, Greedy), /*num_blocks=*/14);
}

// Three share the ten blocks of their prompt and come to five more each. Were
// nothing shared, the prompt alone would be more than the pool can take back
// and more than is swapped out. None ends while it is away, so a block that
// left comes back as one block or is found.
TEST_P(SwapEqualityTest, SamplesShareTheirBlocksThereAndBack) {
  const quire::v1::StatusResponse status =
      ExpectServedInSmallPool(TenRequests(160, ThreeSamples), 3 * 10 - 1);
  EXPECT_LT(status.blocks_swapped_out(), status.swap_preemptions() * 3 * 10);
  if (has_cache()) {
    EXPECT_LT(status.blocks_swapped_in(), status.blocks_swapped_out());
  } else {
    EXPECT_EQ(status.blocks_swapped_in(), status.blocks_swapped_out());
  }
}

// The same for four and eight; but what only a beam holds that is dropped while
// the search is away does not come back.
TEST_P(SwapEqualityTest, BeamsShareTheirBlocksThereAndBack) {
  const quire::v1::StatusResponse status =
      ExpectServedInSmallPool(TenRequests(128, FourBeams), 4 * 8 - 1);
  EXPECT_LT(status.blocks_swapped_out(), status.swap_preemptions() * 4 * 8);
  EXPECT_LE(status.blocks_swapped_in(), status.blocks_swapped_out());
}

INSTANTIATE_TEST_SUITE_P(Compute, SwapEqualityTest,
                         testing::Combine(testing::Values("f32", "auto"),
                                          testing::Bool()),
                         [](const auto& info) {
                           return std::get<0>(info.param) +
                                  (std::get<1>(info.param) ? "" : "_uncached");
                         });

}  // namespace
}  // namespace quire
