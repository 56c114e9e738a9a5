// A token never depends on what else is in the batch, on how a prompt is cut,
// on which blocks hold it or on a preemption: every way of serving the same
// prompts gives the bits that each gets alone.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/instruction_set.h"
#include "tests/testing/generate_client.h"
#include "tests/testing/reference_prompts.h"
#include "tests/testing/test_cluster.h"

namespace quire {
namespace {

// One way of serving all prompts at once.
struct Way {
  int order = 0;  // 0 as they are, 1 reversed, 2 interleaved from both ends.
  uint32_t max_step_tokens = 512;
  uint32_t block_size = 16;
  uint32_t pipeline_depth = 2;
  uint64_t shuffle_seed = 0;
  // Blocks beyond those that the longest request needs; 0 = plenty.
  uint32_t spare_blocks = 0;
  int threads = 0;
  uint32_t draft_tokens = 7;
};

std::ostream& operator<<(std::ostream& os, const Way& way) {
  return os << "order " << way.order << ", max_step_tokens "
            << way.max_step_tokens << ", block_size " << way.block_size
            << ", pipeline_depth " << way.pipeline_depth << ", shuffle_seed "
            << way.shuffle_seed << ", spare_blocks " << way.spare_blocks
            << ", threads " << way.threads << ", draft_tokens "
            << way.draft_tokens;
}

// The corners, and each value with the others varied beside it.
std::vector<Way> SomeWays() {
  return {
      {.order = 0, .max_step_tokens = 512, .block_size = 16},
      {.order = 1, .max_step_tokens = 16, .block_size = 32, .shuffle_seed = 7},
      {.order = 2,
       .max_step_tokens = 64,
       .block_size = 64,
       .pipeline_depth = 1,
       .shuffle_seed = 8},
      {.order = 1,
       .max_step_tokens = 64,
       .block_size = 16,
       .shuffle_seed = 9,
       .spare_blocks = 1},
      {.order = 2,
       .max_step_tokens = 512,
       .block_size = 16,
       .pipeline_depth = 1,
       .spare_blocks = 1,
       .threads = 1,
       .draft_tokens = 0},
  };
}

// For a model that takes its time.
std::vector<Way> FewWays() {
  const std::vector<Way> ways = SomeWays();
  return {ways[0], ways[2], ways[4]};
}

std::vector<Way> AllWays() {
  std::vector<Way> ways;
  for (const uint32_t tokens : {16, 64, 512}) {
    for (const uint32_t block_size : {16, 32, 64}) {
      for (const uint32_t depth : {1, 2}) {
        for (const uint32_t spare : {0, 1}) {
          const int order = static_cast<int>(ways.size() % 3);
          ways.push_back({.order = order,
                          .max_step_tokens = tokens,
                          .block_size = block_size,
                          .pipeline_depth = depth,
                          .shuffle_seed = ways.size(),
                          .spare_blocks = spare});
        }
      }
    }
  }
  return ways;
}

std::vector<size_t> Order(int order, size_t count) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < count; ++i) {
    const size_t both_ends = i % 2 == 0 ? i / 2 : count - 1 - i / 2;
    indices.push_back(order == 0 ? i : order == 1 ? count - 1 - i : both_ends);
  }
  return indices;
}

// A model, a way to compute, and prompts.
class EqualityTest : public testing::Test {
 protected:
  void Serve(const std::string& model, const std::string& compute,
             const std::vector<ReferencePrompt>& prompts) {
    model_ = model;
    compute_ = compute;
    for (const ReferencePrompt& prompt : prompts) {
      requests_.push_back(GreedyRequest(
          prompt.prompt_ids, static_cast<uint32_t>(prompt.greedy_ids.size())));
      longest_ =
          std::max(longest_, static_cast<uint32_t>(prompt.prompt_ids.size() +
                                                   prompt.greedy_ids.size()));
    }
    // And without drafts.
    const Way alone = {.draft_tokens = 0};
    TestCluster cluster(Options(alone), Flags(alone));
    for (const auto& request : requests_) {
      alone_.push_back(Generate(cluster.stub(), request));
      ASSERT_TRUE(alone_.back().status.ok());
    }
  }

  // The first ones, each alone again, with drafts. How many of these were
  // right.
  double ExpectSameBitsWithDrafts(size_t count) {
    TestCluster cluster(Options({}), Flags({}));
    for (size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(SameBits(Generate(cluster.stub(), requests_[i]), alone_[i]))
          << "prompt " << i;
    }
    return cluster.Metric("quire_right_draft_tokens_total");
  }

  // Over all ways. Without these the comparison would prove nothing.
  double mixed_steps_ = 0;  // Hold prompt and decode rows.
  double preemptions_ = 0;
  double steps_ = 0;        // Of the ways with room for all,
  double small_steps_ = 0;  // and of these with at most eight sequences.

  void ExpectSameBits(const std::vector<Way>& ways) {
    for (const Way& way : ways) {
      SCOPED_TRACE(testing::PrintToString(way));
      TestCluster cluster(Options(way), Flags(way));
      // Who arrives first is up to the machine: a small pool is filled again
      // until somebody had to give way.
      for (int round = 0; round < 8; ++round) {
        ExpectSameBits(cluster, way);
        if (way.spare_blocks == 0) break;
        if (cluster.Status().preemptions() > 0) break;
      }
      CountSteps(cluster, way);
      ExpectNothingLeft(cluster);
    }
  }

 private:
  ServerOptions Options(const Way& way) const {
    ServerOptions options;
    options.model = model_;
    options.block_size = way.block_size;
    options.engine.max_step_tokens = way.max_step_tokens;
    options.engine.pipeline_depth = way.pipeline_depth;
    options.engine.draft_tokens = way.draft_tokens;
    options.engine.shuffle_free_blocks_seed = way.shuffle_seed;
    if (way.spare_blocks > 0) {
      options.num_blocks =
          (longest_ - 2) / way.block_size + 1 + way.spare_blocks;
    }
    return options;
  }

  std::vector<std::string> Flags(const Way& way) const {
    return {"--compute=" + compute_,
            "--threads=" + std::to_string(way.threads)};
  }

  void ExpectSameBits(TestCluster& cluster, const Way& way) {
    const std::vector<size_t> order = Order(way.order, requests_.size());
    std::vector<quire::v1::GenerateRequest> requests;
    for (const size_t i : order) requests.push_back(requests_[i]);
    const std::vector<Generated> together =
        GenerateAll(cluster.stub(), requests);
    for (size_t i = 0; i < order.size(); ++i) {
      ASSERT_TRUE(together[i].status.ok())
          << together[i].status.error_message();
      EXPECT_TRUE(SameBits(together[i], alone_[order[i]]))
          << "prompt " << order[i];
    }
  }

  void CountSteps(TestCluster& cluster, const Way& way) {
    const double mixed = cluster.Metric("quire_mixed_steps_total");
    const auto preemptions =
        static_cast<double>(cluster.Status().preemptions());
    const double steps = cluster.Metric("quire_step_sequences_count");
    const double small =
        cluster.Metric("quire_step_sequences_bucket{le=\"8\"}");
    std::cout << way << ": " << steps << " steps, " << small
              << " of at most 8 sequences, " << mixed << " mixed, "
              << preemptions << " preemptions\n";
    mixed_steps_ += mixed;
    preemptions_ += preemptions;
    // A budget of 16 rows is a long prompt's alone for most of the time.
    if (way.spare_blocks > 0 || way.max_step_tokens <= 16) return;
    steps_ += steps;
    small_steps_ += small;
  }

  void ExpectNothingLeft(TestCluster& cluster) {
    const quire::v1::StatusResponse status = cluster.WaitUntilIdle();
    EXPECT_EQ(status.blocks().active(), 0u);
    EXPECT_EQ(status.blocks().free() + status.blocks().cached(),
              status.blocks().total());
    EXPECT_EQ(cluster.Metric("quire_consistency_violations_total"), 0);
  }

  std::string model_;
  std::string compute_;
  std::vector<quire::v1::GenerateRequest> requests_;
  std::vector<Generated> alone_;
  uint32_t longest_ = 0;
};

class TinyEqualityTest
    : public EqualityTest,
      public testing::WithParamInterface<std::tuple<std::string, std::string>> {
};

TEST_P(TinyEqualityTest, EveryWayGivesTheBitsOfEachPromptAlone) {
  const auto& [name, compute] = GetParam();
  std::vector<ReferencePrompt> prompts = TinyReference(name);
  // Enough to fill a step: each prompt three times, of different lengths.
  const size_t count = prompts.size();
  for (size_t i = 0; i < 2 * count; ++i) {
    prompts.push_back(prompts[i]);
    prompts.back().prompt_ids.push_back(static_cast<Token>(20 + i));
  }
  Serve(TinyModelPath(name), compute, prompts);
  ExpectSameBits(SomeWays());
  EXPECT_GT(mixed_steps_, 0);
  EXPECT_GT(preemptions_, 0);
  ExpectSameBitsWithDrafts(prompts.size());
}

INSTANTIATE_TEST_SUITE_P(Models, TinyEqualityTest,
                         testing::Combine(testing::ValuesIn(TinyModels()),
                                          testing::Values(std::string("f32"),
                                                          std::string("auto"))),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::get<1>(info.param);
                         });

class SmolLm2EqualityTest : public EqualityTest,
                            public testing::WithParamInterface<std::string> {};

// QUIRE_FULL_EQUALITY=1 tries all 36 ways.
TEST_P(SmolLm2EqualityTest, EveryWayGivesTheBitsOfEachPromptAlone) {
  const std::optional<std::string> model = SmolLm2Path();
  if (!model.has_value()) GTEST_SKIP() << "deploy/local/fetch_model first";
  Serve(*model, GetParam(), SmolLm2Reference());
  const bool full = std::getenv("QUIRE_FULL_EQUALITY") != nullptr;
  ExpectSameBits(full ? AllWays() : FewWays());
  EXPECT_GT(mixed_steps_, 0);
  EXPECT_GT(preemptions_, 0);
  const double num_right_drafts = ExpectSameBitsWithDrafts(4);
  if (NumCheapRows(BestInstructionSet()) > 1) {
    EXPECT_GT(num_right_drafts, 0);
  }
  EXPECT_LT(small_steps_, steps_ / 2);
}

INSTANTIATE_TEST_SUITE_P(Compute, SmolLm2EqualityTest,
                         testing::Values(std::string("f32"),
                                         std::string("auto")),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace quire
