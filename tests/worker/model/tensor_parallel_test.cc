// A model divided among ranks, each a thread with a communicator over shared
// memory, against the whole.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/ids.h"
#include "common/modelfile/model_config.h"
#include "common/modelfile/model_files.h"
#include "common/modelfile/tensor.h"
#include "tests/worker/model/model_runner.h"
#include "tests/worker/weights/random_model_files.h"
#include "worker/comm/communicator.h"
#include "worker/comm/make_communicator.h"
#include "worker/executor/thread_pool.h"
#include "worker/model/load_model.h"
#include "worker/model/model.h"

namespace quire {
namespace {

using Logits = ModelRunner::Logits;

// Of SmolLM2-135M's heads and of eight query heads for four KV heads.
ModelConfig NineHeads() {
  ModelConfig config;
  config.num_layers = 3;
  config.hidden_size = 288;
  config.intermediate_size = 768;
  config.num_heads = 9;
  config.num_kv_heads = 3;
  config.head_dim = 32;
  config.vocabulary_size = 1000;
  config.context_length = 512;
  return config;
}

ModelConfig EightHeads() {
  ModelConfig config = NineHeads();
  config.num_layers = 2;
  config.hidden_size = 256;
  config.intermediate_size = 544;
  config.num_heads = 8;
  config.num_kv_heads = 4;
  config.attention_bias = true;
  return config;
}

std::vector<Token> PromptOf(int seed, int size) {
  std::vector<Token> tokens(size);
  for (int i = 0; i < size; ++i) tokens[i] = (seed * 131 + i * 37) % 1000;
  return tokens;
}

// What a rank did, and what rank 0 yielded.
using Work = std::function<std::vector<Logits>(ModelRunner&)>;

class Group {
 public:
  Group(const ModelFiles& files, int num_ranks, const ModelOptions& options) {
    communicators_.resize(num_ranks);
    for (int rank = 0; rank < num_ranks; ++rank) {
      communicators_[rank] = *MakeCommunicator(
          {.rank = Rank(rank), .num_ranks = num_ranks, .spins = false});
    }
    RunAll([&](int rank) {
      ASSERT_TRUE(communicators_[rank]
                      ->Form(Epoch(1), communicators_[0]->rendezvous())
                      .ok());
    });
    for (int rank = 0; rank < num_ranks; ++rank) {
      runners_.push_back(std::make_unique<ModelRunner>(
          files,
          ModelRunner::Options{.model = options,
                               .num_threads = 1 + rank % 2,
                               .max_rows = 64,
                               .communicator = communicators_[rank].get()}));
    }
  }

  // Every rank does the work; what rank 0 yields.
  std::vector<Logits> Do(const Work& work) {
    std::vector<Logits> of_rank_zero;
    RunAll([&](int rank) {
      std::vector<Logits> yielded = work(*runners_[rank]);
      if (rank == 0) of_rank_zero = std::move(yielded);
    });
    return of_rank_zero;
  }

  int64_t count(CollectiveUse use, int rank = 0) const {
    return communicators_[rank]->count(use);
  }
  ModelRunner& runner(int rank) { return *runners_[rank]; }
  int num_ranks() const { return static_cast<int>(runners_.size()); }

 private:
  void RunAll(const std::function<void(int)>& function) {
    std::vector<std::thread> threads;
    for (size_t rank = 0; rank < communicators_.size(); ++rank) {
      threads.emplace_back([&, rank] { function(static_cast<int>(rank)); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  std::vector<std::unique_ptr<Communicator>> communicators_;
  std::vector<std::unique_ptr<ModelRunner>> runners_;
};

struct Case {
  const char* name;
  ModelConfig config;
  int num_ranks;
};

class TensorParallelTest : public testing::TestWithParam<Case> {
 protected:
  Group MakeGroup(int num_ranks) const {
    return Group(files_, num_ranks,
                 {.compute = Compute::kF32, .kv_dtype = KvDtype::kF32});
  }
  static int num_ranks() { return GetParam().num_ranks; }

  // A prompt, then its greedy continuation as the whole model chose it.
  std::vector<Logits> Continue(Group& group, const std::vector<Token>& answer) {
    return group.Do([&](ModelRunner& runner) {
      const int sequence = runner.Add(PromptOf(1, 50));
      std::vector<Logits> all = {runner.Prefill(sequence, 64).back()};
      for (const Token token : answer) {
        runner.Append(sequence, token);
        all.push_back(runner.Step({{sequence, 1}}).front());
      }
      return all;
    });
  }

  RandomModelFiles files_{GetParam().config, TensorType::kF32};
  RandomModelFiles quantized_{GetParam().config, TensorType::kQ4_1};
};

INSTANTIATE_TEST_SUITE_P(
    All, TensorParallelTest,
    testing::Values(Case{"NineHeadsOnTwoRanks", NineHeads(), 2},
                    Case{"NineHeadsOnThreeRanks", NineHeads(), 3},
                    Case{"EightHeadsOnTwoRanks", EightHeads(), 2},
                    Case{"EightHeadsOnFourRanks", EightHeads(), 4},
                    Case{"EightHeadsOnEightRanks", EightHeads(), 8}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_P(TensorParallelTest, LogitsAreThoseOfTheWholeModel) {
  Group whole = MakeGroup(1);
  Group divided = MakeGroup(num_ranks());
  const std::vector<Token> answer = PromptOf(5, 12);
  const std::vector<Logits> expected = Continue(whole, answer);
  const std::vector<Logits> logits = Continue(divided, answer);
  ASSERT_EQ(logits.size(), expected.size());
  for (size_t i = 0; i < logits.size(); ++i) {
    const float largest = std::abs(*std::max_element(
        expected[i].begin(), expected[i].end(),
        [](float a, float b) { return std::abs(a) < std::abs(b); }));
    for (size_t token = 0; token < logits[i].size(); ++token) {
      ASSERT_NEAR(logits[i][token], expected[i][token], 2e-5 * largest);
    }
  }
}

TEST_P(TensorParallelTest, GreedyTokensAreThoseOfTheWholeModel) {
  Group whole = MakeGroup(1);
  Group divided = MakeGroup(num_ranks());
  std::vector<Token> answer;
  while (answer.size() < 12) {
    answer.push_back(BestToken(Continue(whole, answer).back()));
  }
  const std::vector<Logits> logits = Continue(divided, answer);
  for (size_t i = 0; i < answer.size(); ++i) {
    EXPECT_EQ(BestToken(logits[i]), answer[i]) << i;
  }
}

TEST_P(TensorParallelTest, EveryLayerHasTwoSums) {
  Group group = MakeGroup(num_ranks());
  group.Do([](ModelRunner& runner) {
    const int sequence = runner.Add(PromptOf(1, 30));
    return runner.Prefill(sequence, 10);
  });
  for (int rank = 0; rank < num_ranks(); ++rank) {
    EXPECT_EQ(group.count(CollectiveUse::kLayer, rank),
              int64_t{3 * 2} * GetParam().config.num_layers);
    EXPECT_EQ(group.count(CollectiveUse::kEmbedding, rank), 3);
    EXPECT_EQ(group.count(CollectiveUse::kLogits, rank), 30);
  }
}

TEST_P(TensorParallelTest, ARankHoldsItsShareAlone) {
  Group whole = MakeGroup(1);
  Group divided = MakeGroup(num_ranks());
  int64_t weights = 0;
  int64_t kv = 0;
  for (int rank = 0; rank < num_ranks(); ++rank) {
    const Model& model = divided.runner(rank).model();
    weights += model.weight_bytes();
    kv += model.bytes_per_slot();
    EXPECT_LT(model.weight_bytes(), whole.runner(0).model().weight_bytes());
  }
  const ModelConfig& config = GetParam().config;
  const int64_t copies =
      std::max<int64_t>(num_ranks() / config.num_kv_heads, 1);
  EXPECT_EQ(kv, copies * whole.runner(0).model().bytes_per_slot());
  // Norms and replicated K and V come on top.
  EXPECT_LT(weights, whole.runner(0).model().weight_bytes() * 6 / 5);
}

TEST_P(TensorParallelTest, BitsDoNotDependOnTheBatchNorOnTheRun) {
  const ModelOptions fast = {};
  Group group(quantized_, num_ranks(), fast);
  const std::vector<Logits> alone = group.Do([](ModelRunner& runner) {
    return runner.Prefill(runner.Add(PromptOf(1, 40)), 64);
  });
  const std::vector<Logits> again = group.Do([](ModelRunner& runner) {
    return runner.Prefill(runner.Add(PromptOf(1, 40)), 7);
  });
  EXPECT_EQ(again, alone);
  const std::vector<Logits> together = group.Do([](ModelRunner& runner) {
    const int other = runner.Add(PromptOf(2, 20));
    const int sequence = runner.Add(PromptOf(1, 40));
    return runner.Step({{other, 20}, {sequence, 40}});
  });
  EXPECT_EQ(std::vector(together.begin() + 20, together.end()), alone);
  Group another(quantized_, num_ranks(), fast);
  EXPECT_EQ(another.Do([](ModelRunner& runner) {
    return runner.Prefill(runner.Add(PromptOf(1, 40)), 64);
  }),
            alone);
}

TEST_P(TensorParallelTest, QuantizedWeightsKeepTheirFormat) {
  Group whole(quantized_, 1, {});
  Group divided(quantized_, num_ranks(), {});
  const std::vector<Token> answer = PromptOf(5, 3);
  const std::vector<Logits> expected = Continue(whole, answer);
  const std::vector<Logits> logits = Continue(divided, answer);
  for (size_t i = 0; i < logits.size(); ++i) {
    double difference = 0;
    double size = 0;
    for (size_t token = 0; token < logits[i].size(); ++token) {
      difference += std::pow(logits[i][token] - expected[i][token], 2);
      size += std::pow(expected[i][token], 2);
    }
    EXPECT_LT(std::sqrt(difference / size), 0.02) << i;
  }
  // In bf16 the layers' matrices would take three times as much.
  int64_t bytes = 0;
  for (int rank = 0; rank < num_ranks(); ++rank) {
    bytes += divided.runner(rank).model().weight_bytes();
  }
  EXPECT_LT(bytes, whole.runner(0).model().weight_bytes() * 5 / 4);
}

TEST(TensorParallelLoadingTest, TooManyRanksForAModelAreRefused) {
  const RandomModelFiles files(EightHeads(), TensorType::kF32);
  const auto communicator =
      *MakeCommunicator({.rank = Rank(1), .num_ranks = 9});
  ThreadPool pool(1);
  const auto model = LoadModel(files, {}, &pool, communicator.get());
  EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace quire
