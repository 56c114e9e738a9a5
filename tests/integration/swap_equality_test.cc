// A request that was swapped to host memory and back gives the bits of one that
// was never disturbed.

#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/generate_client.h"
#include "tests/testing/reference_prompts.h"
#include "tests/testing/test_cluster.h"

namespace quire {
namespace {

constexpr char kModel[] = "llama3rope_f32";
constexpr uint32_t kMaxTokens = 60;

class SwapEqualityTest : public testing::TestWithParam<std::string> {
 protected:
  // Prompts of two or three blocks that grow to six.
  SwapEqualityTest() {
    std::mt19937_64 random(11);
    for (int i = 0; i < 10; ++i) {
      std::vector<Token> prompt;
      for (size_t n = 25 + random() % 12; n > 0; --n) {
        prompt.push_back(static_cast<Token>(3 + random() % 500));
      }
      requests_.push_back(GreedyRequest(prompt, kMaxTokens));
    }
  }

  static ServerOptions Options(uint32_t num_blocks) {
    ServerOptions options;
    options.model = TinyModelPath(kModel);
    options.num_blocks = num_blocks;
    options.engine.max_step_tokens = 64;
    options.engine.preemption = PreemptionMode::kSwap;
    return options;
  }
  std::vector<std::string> Flags() const {
    return {"--compute=" + GetParam(), "--host_kv_memory=16MiB"};
  }

  std::vector<quire::v1::GenerateRequest> requests_;
};

TEST_P(SwapEqualityTest, SwappedRequestsGiveTheBitsOfUndisturbedOnes) {
  std::vector<Generated> alone;
  {
    TestCluster cluster(Options(/*num_blocks=*/0), Flags());
    for (const auto& request : requests_) {
      alone.push_back(Generate(cluster.stub(), request));
      ASSERT_TRUE(alone.back().status.ok());
    }
  }
  TestCluster cluster(Options(/*num_blocks=*/14), Flags());
  // Who arrives first is up to the machine.
  for (int round = 0; round < 8; ++round) {
    const std::vector<Generated> together =
        GenerateAll(cluster.stub(), requests_);
    for (size_t i = 0; i < together.size(); ++i) {
      ASSERT_TRUE(together[i].status.ok())
          << together[i].status.error_message();
      EXPECT_TRUE(SameBits(together[i], alone[i])) << "request " << i;
    }
    if (cluster.Metric("quire_swapped_blocks_total{direction=\"in\"}") > 0) {
      break;
    }
  }
  EXPECT_GT(cluster.Metric("quire_preemptions_total{kind=\"swap\"}"), 0);
  EXPECT_GT(cluster.Metric("quire_swapped_blocks_total{direction=\"in\"}"), 0);
  const quire::v1::StatusResponse status = cluster.WaitUntilIdle();
  EXPECT_EQ(status.blocks().active(), 0u);
  EXPECT_EQ(status.blocks().host_used(), 0u);
  EXPECT_EQ(cluster.Metric("quire_consistency_violations_total"), 0);
}

INSTANTIATE_TEST_SUITE_P(Compute, SwapEqualityTest,
                         testing::Values(std::string("f32"),
                                         std::string("auto")),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace quire
