#include "common/modelfile/tensor_check.h"

#include <gtest/gtest.h>

#include "tests/common/modelfile/is_error.h"

namespace quire {
namespace {

using testing::IsInvalid;
using testing::IsOk;
using testing::IsUnimplemented;

// A model of one layer whose sizes all differ, so that no shape passes for
// another.
class CheckTensorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    config_ = {.architecture = "llama",
               .num_layers = 1,
               .hidden_size = 64,
               .intermediate_size = 96,
               .num_heads = 4,
               .num_kv_heads = 2,
               .head_dim = 10,
               .vocabulary_size = 100,
               .context_length = 8,
               .tied_embeddings = true};
    Add("token_embd.weight", {100, 64});
    Add("output_norm.weight", {64});
    Add("blk.0.attn_norm.weight", {64});
    Add("blk.0.attn_q.weight", {40, 64});
    Add("blk.0.attn_k.weight", {20, 64});
    Add("blk.0.attn_v.weight", {20, 64});
    Add("blk.0.attn_output.weight", {64, 40});
    Add("blk.0.ffn_norm.weight", {64});
    Add("blk.0.ffn_gate.weight", {96, 64});
    Add("blk.0.ffn_up.weight", {96, 64});
    Add("blk.0.ffn_down.weight", {64, 96});
  }

  void Add(const std::string& name, std::vector<int64_t> shape,
           TensorType type = TensorType::kF32) {
    tensors_[name] = {.name = name, .type = type, .shape = std::move(shape)};
  }
  absl::Status Check() const { return CheckTensors(config_, tensors_); }

  ModelConfig config_;
  TensorMap tensors_;
};

TEST_F(CheckTensorsTest, ModelThatFitsItsConfigurationPasses) {
  EXPECT_THAT(Check(), IsOk());
}

TEST_F(CheckTensorsTest, EveryTensorMustBeThere) {
  for (const auto& [name, tensor] : TensorMap(tensors_)) {
    auto node = tensors_.extract(name);
    EXPECT_THAT(Check(), IsInvalid("tensor '" + name + "' is missing"));
    tensors_.insert(std::move(node));
  }
}

TEST_F(CheckTensorsTest, EveryTensorMustHaveItsShape) {
  for (const auto& [name, tensor] : TensorMap(tensors_)) {
    tensors_[name].shape[0] += 2;
    EXPECT_THAT(Check(), IsInvalid("tensor '" + name + "' has shape ["));
    tensors_[name].shape = {1, tensor.shape[0], 64};
    EXPECT_THAT(Check(), IsInvalid("tensor '" + name + "' has shape ["));
    tensors_[name] = tensor;
  }
}

TEST_F(CheckTensorsTest, UntiedModelNeedsItsOutput) {
  config_.tied_embeddings = false;
  EXPECT_THAT(Check(), IsInvalid("tensor 'output.weight' is missing"));
  Add("output.weight", {100, 64});
  EXPECT_THAT(Check(), IsOk());
}

TEST_F(CheckTensorsTest, BiasesAndRopeFactorsAreCheckedWhereTheyBelong) {
  config_.attention_bias = true;
  config_.has_rope_factors = true;
  Add("blk.0.attn_q.bias", {40});
  Add("blk.0.attn_k.bias", {20});
  Add("rope_freqs.weight", {5});
  EXPECT_THAT(Check(), IsInvalid("tensor 'blk.0.attn_v.bias' is missing"));
  Add("blk.0.attn_v.bias", {20});
  EXPECT_THAT(Check(), IsOk());
  Add("rope_freqs.weight", {10});
  EXPECT_THAT(Check(), IsInvalid("tensor 'rope_freqs.weight' has shape [10], "
                                 "the configuration calls for [5]"));
}

TEST_F(CheckTensorsTest, MatricesMayBeQuantizedAndVectorsMayNot) {
  Add("blk.0.ffn_up.weight", {96, 64}, TensorType::kQ4_1);
  Add("blk.0.ffn_norm.weight", {64}, TensorType::kBF16);
  EXPECT_THAT(Check(), IsOk());
  Add("blk.0.ffn_norm.weight", {64}, TensorType::kQ8_0);
  EXPECT_THAT(Check(), IsInvalid("tensor 'blk.0.ffn_norm.weight' is of type "
                                 "Q8_0, a vector must be F32, F16 or BF16"));
}

TEST_F(CheckTensorsTest, TensorThatTheModelLacksIsRefused) {
  Add("blk.0.attn_output.bias", {64});
  EXPECT_THAT(Check(), IsUnimplemented(
                           "tensor 'blk.0.attn_output.bias' is not supported: "
                           "the model's architecture does not have it"));
}

TEST_F(CheckTensorsTest, FusedTensorIsRefusedByNameBeforeItsPartsAreMissed) {
  tensors_.erase("blk.0.attn_q.weight");
  Add("blk.0.attn_qkv.weight", {80, 64});
  EXPECT_THAT(Check(), IsUnimplemented("tensor 'blk.0.attn_qkv.weight' is not "
                                       "supported: it fuses several matrices"));
}

TEST_F(CheckTensorsTest, LayerBeyondTheConfigurationIsRefused) {
  Add("blk.1.attn_norm.weight", {64});
  EXPECT_THAT(Check(), IsUnimplemented("tensor 'blk.1.attn_norm.weight'"));
}

}  // namespace
}  // namespace quire
