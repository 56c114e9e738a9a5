#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/modelfile/model_files.h"
#include "gtest/gtest.h"
#include "tests/testing/plan_writer.h"
#include "tests/testing/reference_prompts.h"
#include "worker/executor/executor.h"
#include "worker/model/load_model.h"

namespace quire {
namespace {

using testing::NewSequenceOf;
using testing::PlanWriter;
using worker::v1::StepResult;

constexpr int kBlockSize = 16;
constexpr int kNumBlocks = 256;
constexpr int kMaxRows = 256;
constexpr uint32_t kChunk = 5;

// A worker without a wire: the real model in float32 behind an executor.
class TinyModelsTest : public ::testing::TestWithParam<std::string> {
 protected:
  TinyModelsTest() : files_(*ModelFiles::Open(TinyModelPath(GetParam()))) {
    model_ = *LoadModel(
        *files_, {.compute = Compute::kF32, .kv_dtype = KvDtype::kF32}, &pool_);
    executor_ = std::make_unique<Executor>(
        model_.get(), &pool_, &communicator_, &clock_,
        ExecutorOptions{.kv_cache_bytes =
                            kNumBlocks * kBlockSize * model_->bytes_per_slot(),
                        .logit_rows_at_once = 7});
    const absl::Status status = executor_->Begin({.epoch = Epoch(1),
                                                  .block_size = kBlockSize,
                                                  .num_blocks = kNumBlocks,
                                                  .max_step_rows = kMaxRows});
    EXPECT_TRUE(status.ok()) << status;
  }

  StepResult Execute(const PlanWriter& plan) {
    StepResult result;
    const absl::Status status = executor_->Execute(plan.plan(), &result);
    EXPECT_TRUE(status.ok()) << status;
    return result;
  }

  // Scores the prompt in chunks and generates `count` tokens, greedily.
  void Continue(uint64_t id, const std::vector<Token>& prompt, size_t count) {
    const auto length = static_cast<uint32_t>(prompt.size());
    std::vector<uint32_t> blocks((prompt.size() + count) / kBlockSize + 1);
    for (size_t i = 0; i < blocks.size(); ++i) {
      // Backwards, so that no table counts upwards.
      blocks[i] = static_cast<uint32_t>(blocks.size() - i);
    }
    for (uint32_t start = 0; start < length; start += kChunk) {
      PlanWriter plan(++step_);
      if (start == 0) plan.Add(NewSequenceOf(id, prompt, blocks));
      const uint32_t rows = std::min(kChunk, length - start);
      Take(Execute(plan.Run({.sequence = id,
                             .slot = start,
                             .num_rows = rows,
                             .samples = start + rows == length,
                             .prompt_logprobs = true})));
    }
    while (tokens_.size() < count) {
      const auto slot = static_cast<uint32_t>(length + tokens_.size() - 1);
      Take(Execute(PlanWriter(++step_).Run(
          {.sequence = id, .slot = slot, .samples = true})));
    }
    Execute(PlanWriter(++step_).Release(id));
  }

  void Take(const StepResult& result) {
    for (const Token t : result.sampled().token()) tokens_.push_back(t);
    for (const float l : result.sampled().logprob()) logprobs_.push_back(l);
    for (const float l : result.prompt_logprobs().logprob()) {
      prompt_logprobs_.push_back(l);
    }
  }

  // The reference writes five digits after the point.
  static void ExpectClose(const std::vector<float>& actual,
                          const std::vector<float>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) {
      EXPECT_NEAR(actual[i], expected[i], 1e-4) << i;
    }
  }

  const std::unique_ptr<ModelFiles> files_;
  ThreadPool pool_{1};
  std::unique_ptr<Model> model_;
  SingleRankCommunicator communicator_;
  SystemClock clock_;
  std::unique_ptr<Executor> executor_;
  uint64_t step_ = 0;
  std::vector<Token> tokens_;
  std::vector<float> logprobs_;
  std::vector<float> prompt_logprobs_;
};

TEST_P(TinyModelsTest, AnswersEqualTheReference) {
  uint64_t id = 0;
  for (const ReferencePrompt& reference : TinyReference(GetParam())) {
    tokens_.clear();
    logprobs_.clear();
    prompt_logprobs_.clear();
    Continue(++id, reference.prompt_ids, reference.greedy_ids.size());
    EXPECT_EQ(tokens_, reference.greedy_ids) << reference.text;
    ExpectClose(logprobs_, reference.greedy_logprobs);
    ExpectClose(prompt_logprobs_, reference.prompt_logprobs);
  }
  EXPECT_GT(id, 0u);
}

INSTANTIATE_TEST_SUITE_P(Models, TinyModelsTest,
                         ::testing::ValuesIn(TinyModels()),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                           return std::string(info.param);
                         });

}  // namespace
}  // namespace quire
