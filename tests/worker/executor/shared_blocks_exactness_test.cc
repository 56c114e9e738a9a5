#include <cstdint>
#include <map>
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
using worker::v1::NewSequence;
using worker::v1::SampledTokens;
using worker::v1::StepResult;

constexpr int kBlockSize = 16;
constexpr int kNumBlocks = 32;
constexpr int kNumHostBlocks = 8;
constexpr uint32_t kPromptLength = 40;
constexpr uint32_t kEnd = 60;  // Tokens of a sequence.

// Everything that is reported about a sequence's tokens.
struct Answer {
  std::vector<Token> tokens;
  std::vector<float> logprobs;
  std::vector<Token> top_tokens;
  std::vector<float> top_logprobs;

  bool operator==(const Answer&) const = default;
};

// A real model behind an executor: K and V themselves are shared and moved.
class SharedBlocksExactnessTest : public ::testing::TestWithParam<Compute> {
 protected:
  SharedBlocksExactnessTest() {
    const auto files = *ModelFiles::Open(TinyModelPath("llama3rope_f32"));
    model_ = *LoadModel(*files, {.compute = GetParam()}, &pool_);
    const int64_t block_bytes = kBlockSize * model_->bytes_per_slot();
    executor_ = std::make_unique<Executor>(
        model_.get(), &pool_, &communicator_, &clock_,
        ExecutorOptions{.kv_cache_bytes = kNumBlocks * block_bytes,
                        .host_kv_bytes = kNumHostBlocks * block_bytes});
    StartOver();
  }

  void StartOver() {
    EXPECT_TRUE(executor_
                    ->Begin({.epoch = Epoch(1),
                             .block_size = kBlockSize,
                             .num_blocks = kNumBlocks,
                             .max_step_rows = 64,
                             .num_host_blocks = kNumHostBlocks})
                    .ok());
    step_ = 0;
    answers_.clear();
  }

  // Its prompt depends on its id.
  static NewSequence Sequence(uint64_t id,
                              const std::vector<uint32_t>& blocks) {
    std::vector<Token> prompt;
    for (uint32_t i = 0; i < kPromptLength; ++i) {
      prompt.push_back(static_cast<Token>((id * 97 + i * 31) % 512));
    }
    NewSequence sequence = NewSequenceOf(id, prompt, blocks);
    sequence.mutable_sampling()->set_temperature(0.9f);
    sequence.mutable_sampling()->set_seed(id);
    sequence.mutable_sampling()->set_repetition_penalty(1.2f);
    sequence.mutable_sampling()->set_top_logprobs(64);
    return sequence;
  }

  PlanWriter Next() { return PlanWriter(++step_); }

  void Execute(const PlanWriter& plan) {
    StepResult result;
    const absl::Status status = executor_->Execute(plan.plan(), &result);
    ASSERT_TRUE(status.ok()) << status;
    const SampledTokens& sampled = result.sampled();
    int top = 0;
    for (int i = 0; i < sampled.token_size(); ++i) {
      Answer& answer = answers_[sampled.sequence(i)];
      answer.tokens.push_back(sampled.token(i));
      answer.logprobs.push_back(sampled.logprob(i));
      for (const int end = top + sampled.num_top(i); top < end; ++top) {
        answer.top_tokens.push_back(sampled.top_token(top));
        answer.top_logprobs.push_back(sampled.top_logprob(top));
      }
    }
  }

  // All tokens of a new sequence in one step, which samples.
  void Start(PlanWriter plan, const NewSequence& sequence) {
    Execute(plan.Add(sequence).Run(
        {.sequence = sequence.sequence(),
         .num_rows = static_cast<uint32_t>(sequence.tokens_size()),
         .samples = true}));
  }

  // One row of each of the sequences a step: slots begin .. end - 1.
  void Decode(const std::vector<uint64_t>& sequences, uint32_t begin,
              uint32_t end) {
    for (uint32_t slot = begin; slot < end; ++slot) {
      PlanWriter plan = Next();
      for (const uint64_t id : sequences) {
        plan.Run({.sequence = id, .slot = slot, .samples = true});
      }
      Execute(plan);
    }
  }

  // What the sequence yields where nobody else is there.
  Answer Alone(const NewSequence& sequence) {
    StartOver();
    Start(Next(), sequence);
    Decode({sequence.sequence()}, sequence.tokens_size(), kEnd);
    return answers_[sequence.sequence()];
  }

  ThreadPool pool_{2};
  std::unique_ptr<Model> model_;
  SingleRankCommunicator communicator_;
  SystemClock clock_;
  std::unique_ptr<Executor> executor_;
  uint64_t step_ = 0;
  std::map<uint64_t, Answer> answers_;
};

TEST_P(SharedBlocksExactnessTest, ForkedSequencesYieldTheSameBitsAsAlone) {
  constexpr uint32_t kForkedAt = 43;  // Eleven slots into the third block.
  const NewSequence parent = Sequence(1, {9, 4, 7, 1});
  Start(Next(), parent);
  Decode({1}, kPromptLength, kForkedAt);
  Execute(Next()
              .Fork({.parent = 1,
                     .child = 2,
                     .num_tokens = kForkedAt,
                     .tokens = {123},
                     .seed = 77})
              .Edit(2, 2, {12, 13})
              .Copy(7, 12, kForkedAt % kBlockSize)
              .Run({.sequence = 1, .slot = kForkedAt, .samples = true})
              .Run({.sequence = 2, .slot = kForkedAt, .samples = true}));
  Decode({1, 2}, kForkedAt + 1, kEnd);
  const std::map<uint64_t, Answer> together = answers_;

  NewSequence child = Sequence(1, {0, 1, 2, 3});
  for (uint32_t i = kPromptLength; i < kForkedAt; ++i) {
    child.add_tokens(together.at(1).tokens[i - kPromptLength]);
  }
  child.add_tokens(123);
  child.set_sequence(2);
  child.mutable_sampling()->set_seed(77);
  EXPECT_EQ(together.at(1), Alone(parent));
  EXPECT_EQ(together.at(2), Alone(child));
  EXPECT_EQ(together.at(2).tokens.size(), kEnd - kForkedAt);
}

TEST_P(SharedBlocksExactnessTest, SwappedSequenceYieldsTheSameBitsAsAlone) {
  constexpr uint32_t kSwappedAt = 45;
  Start(Next(), Sequence(1, {9, 4, 7}));
  Decode({1}, kPromptLength, kSwappedAt);
  Start(Next().Edit(1, 0, {}).SwapOut(9, 5).SwapOut(4, 0).SwapOut(7, 3),
        Sequence(2, {4, 7, 9, 1}));
  Decode({2}, kPromptLength, kSwappedAt);
  Execute(Next()
              .Edit(1, 0, {11, 2, 8, 6})
              .SwapIn(5, 11)
              .SwapIn(0, 2)
              .SwapIn(3, 8)
              .Run({.sequence = 1, .slot = kSwappedAt, .samples = true})
              .Run({.sequence = 2, .slot = kSwappedAt, .samples = true}));
  Decode({1, 2}, kSwappedAt + 1, kEnd);
  const std::map<uint64_t, Answer> together = answers_;

  EXPECT_EQ(together.at(1), Alone(Sequence(1, {0, 1, 2, 3})));
  EXPECT_EQ(together.at(2), Alone(Sequence(2, {0, 1, 2, 3})));
  EXPECT_EQ(together.at(1).top_tokens.size(), 64 * (kEnd - kPromptLength + 1));
}

INSTANTIATE_TEST_SUITE_P(Computes, SharedBlocksExactnessTest,
                         ::testing::Values(Compute::kF32, Compute::kAuto),
                         [](const ::testing::TestParamInfo<Compute>& info) {
                           return std::string(
                               info.param == Compute::kF32 ? "F32" : "Auto");
                         });

}  // namespace
}  // namespace quire
