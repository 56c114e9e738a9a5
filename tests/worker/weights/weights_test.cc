#include "worker/weights/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/modelfile/model_config.h"
#include "common/modelfile/tensor.h"
#include "kernels/matrix_format.h"
#include "kernels/packed_matrix.h"
#include "tests/worker/weights/random_model_files.h"
#include "worker/executor/thread_pool.h"
#include "worker/weights/shard_plan.h"

namespace quire {
namespace {

ModelConfig OneLayer() {
  ModelConfig config;
  config.num_layers = 1;
  config.hidden_size = 8;
  config.intermediate_size = 12;
  config.num_heads = 2;
  config.num_kv_heads = 1;
  config.head_dim = 4;
  config.vocabulary_size = 10;
  config.attention_bias = true;
  return config;
}

ModelConfig OneLayerOfWholeGroups() {
  ModelConfig config = OneLayer();
  config.hidden_size = config.intermediate_size = 32;
  config.head_dim = 16;
  return config;
}

class WeightsTest : public testing::Test {
 protected:
  std::unique_ptr<Weights> MustLoad(
      WeightPrecision precision = WeightPrecision::kExact) {
    auto weights = Weights::Load(files_, precision, &pool_);
    EXPECT_TRUE(weights.ok()) << weights.status();
    return *std::move(weights);
  }
  std::string LoadError() {
    const auto weights = Weights::Load(files_, WeightPrecision::kExact, &pool_);
    EXPECT_EQ(weights.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(weights.status().message());
  }
  // Element of a packed matrix of one strip, in float32.
  static float At(const PackedMatrix& matrix, int64_t output, int64_t input) {
    return reinterpret_cast<const float*>(
        matrix.data)[input * kStripOutputs + output];
  }

  RandomModelFiles files_{OneLayer(), TensorType::kF32};
  ThreadPool pool_{2};
};

TEST_F(WeightsTest, QueryKeyAndValueLieOneBelowTheOther) {
  const auto weights = MustLoad();
  const PackedMatrix& qkv = weights->layers()[0].qkv.front();
  EXPECT_EQ(qkv.num_outputs, 16);
  EXPECT_EQ(At(qkv, 7, 3), files_.At("blk.0.attn_q.weight", 7 * 8 + 3));
  EXPECT_EQ(At(qkv, 8, 3), files_.At("blk.0.attn_k.weight", 3));
  EXPECT_EQ(At(qkv, 15, 3), files_.At("blk.0.attn_v.weight", 3 * 8 + 3));
  const float* bias = weights->layers()[0].qkv_bias;
  EXPECT_EQ(bias[7], files_.At("blk.0.attn_q.bias", 7));
  EXPECT_EQ(bias[8], files_.At("blk.0.attn_k.bias", 0));
  EXPECT_EQ(bias[12], files_.At("blk.0.attn_v.bias", 0));
}

TEST_F(WeightsTest, GateAndUpAreMatricesOfTheSameSize) {
  const auto weights = MustLoad();
  const LayerWeights& layer = weights->layers()[0];
  EXPECT_EQ(layer.gate.num_outputs, 12);
  EXPECT_EQ(layer.up.num_outputs, 12);
  EXPECT_EQ(At(layer.gate, 11, 2),
            files_.At("blk.0.ffn_gate.weight", 11 * 8 + 2));
  EXPECT_EQ(At(layer.up, 0, 2), files_.At("blk.0.ffn_up.weight", 2));
}

// Since rows are prepared for both in one form.
TEST_F(WeightsTest, GateAndUpAreBothBf16WhereOneIs) {
  RandomModelFiles files(OneLayerOfWholeGroups(), TensorType::kQ4_0);
  const auto format_of_up = [&] {
    const auto weights = *Weights::Load(files, WeightPrecision::kFast, &pool_);
    return weights->layers()[0].up.format;
  };
  EXPECT_EQ(format_of_up(), MatrixFormat::kQ4Symmetric);
  files.AddTensor("blk.0.ffn_gate.weight", {32, 32}, TensorType::kBF16);
  EXPECT_EQ(format_of_up(), MatrixFormat::kBf16);
}

TEST_F(WeightsTest, AScaleThatIsNotANumberIsRefusedWithTheTensorsName) {
  RandomModelFiles files(OneLayerOfWholeGroups(), TensorType::kQ4_0);
  std::vector<std::byte>& data = files.mutable_data("blk.0.ffn_up.weight");
  for (const int high_byte : {0x7e, 0x7c, 0x70}) {  // NaN, infinity, 8,192.
    data[1] = static_cast<std::byte>(high_byte);
    const auto weights = Weights::Load(files, WeightPrecision::kFast, &pool_);
    EXPECT_EQ(weights.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(weights.status().message()),
                testing::HasSubstr("blk.0.ffn_up.weight: a weight is not"));
  }
}

TEST_F(WeightsTest, ATiedOutputIsTheEmbedding) {
  EXPECT_EQ(At(MustLoad()->output(), 9, 1),
            files_.At("output.weight", 9 * 8 + 1));
  files_.mutable_config().tied_embeddings = true;
  EXPECT_EQ(At(MustLoad()->output(), 9, 1),
            files_.At("token_embd.weight", 9 * 8 + 1));
}

TEST_F(WeightsTest, EmbeddingsAreExactWhateverTheFormatOfProducts) {
  const auto weights = MustLoad(WeightPrecision::kFast);
  float row[8];
  weights->Embed(6, row);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(row[i], files_.At("token_embd.weight", 6 * 8 + i));
}

TEST_F(WeightsTest, TheyOutliveTheirFiles) {
  std::unique_ptr<Weights> weights;
  {
    RandomModelFiles files(OneLayer(), TensorType::kF32);
    weights = *Weights::Load(files, WeightPrecision::kExact, &pool_);
  }
  float row[8];
  weights->Embed(6, row);
  EXPECT_EQ(row[0], files_.At("token_embd.weight", 48));
  EXPECT_EQ(weights->output_norm()[7], files_.At("output_norm.weight", 7));
}

TEST_F(WeightsTest, ARankHasItsRowsAndInputsAlone) {
  const ShardPlan shard = {.heads = {1, 2},
                           .kv_heads = {0, 1},
                           .intermediate = {5, 12},
                           .vocabulary = {4, 10}};
  const auto weights =
      *Weights::Load(files_, WeightPrecision::kExact, shard, &pool_);
  const LayerWeights& layer = weights->layers()[0];
  EXPECT_EQ(layer.qkv.front().num_outputs, 12);
  EXPECT_EQ(At(layer.qkv.front(), 0, 3),
            files_.At("blk.0.attn_q.weight", 4 * 8 + 3));
  EXPECT_EQ(At(layer.qkv.front(), 4, 3), files_.At("blk.0.attn_k.weight", 3));
  EXPECT_EQ(layer.qkv_bias[1], files_.At("blk.0.attn_q.bias", 5));
  EXPECT_EQ(layer.attention_output.num_inputs, 4);
  EXPECT_EQ(At(layer.attention_output, 6, 1),
            files_.At("blk.0.attn_output.weight", 6 * 8 + 5));
  EXPECT_EQ(layer.up.num_outputs, 7);
  EXPECT_EQ(At(layer.up, 0, 2), files_.At("blk.0.ffn_up.weight", 42));
  EXPECT_EQ(layer.down.num_inputs, 7);
  EXPECT_EQ(At(layer.down, 3, 1),
            files_.At("blk.0.ffn_down.weight", 3 * 12 + 6));
  EXPECT_EQ(weights->output().num_outputs, 6);
  EXPECT_EQ(At(weights->output(), 0, 1), files_.At("output.weight", 33));
  float row[8];
  weights->Embed(9, row);
  EXPECT_EQ(row[2], files_.At("token_embd.weight", 9 * 8 + 2));
}

TEST_F(WeightsTest, RopeFactorsAreReadWhereTheModelHasThem) {
  EXPECT_TRUE(MustLoad()->rope_factors().empty());
  files_.mutable_config().has_rope_factors = true;
  const auto weights = MustLoad();
  ASSERT_EQ(weights->rope_factors().size(), 2);
  EXPECT_EQ(weights->rope_factors()[1], files_.At("rope_freqs.weight", 1));
}

TEST_F(WeightsTest, AMissingTensorIsNamed) {
  files_.RemoveTensor("blk.0.ffn_up.weight");
  EXPECT_EQ(LoadError(), "blk.0.ffn_up.weight: no such tensor");
}

TEST_F(WeightsTest, AnotherShapeIsRefusedWithBoth) {
  files_.AddTensor("blk.0.attn_k.weight", {8, 4}, TensorType::kF32);
  EXPECT_EQ(LoadError(),
            "blk.0.attn_k.weight: shape [8, 4] where [4, 8] is expected");
}

class FormatTest : public testing::Test {
 protected:
  // The formats of Q, K and V, from above, where these are their types.
  std::vector<MatrixFormat> QkvFormats(WeightPrecision precision, TensorType q,
                                       TensorType v) {
    ModelConfig config = OneLayer();
    config.hidden_size = 256;
    RandomModelFiles files(config, TensorType::kF32);
    files.AddTensor("blk.0.attn_q.weight", {8, 256}, q);
    files.AddTensor("blk.0.attn_k.weight", {4, 256}, q);
    files.AddTensor("blk.0.attn_v.weight", {4, 256}, v);
    const auto weights = Weights::Load(files, precision, &pool_);
    EXPECT_TRUE(weights.ok()) << weights.status();
    std::vector<MatrixFormat> formats;
    for (const PackedMatrix& matrix : (*weights)->layers()[0].qkv) {
      formats.push_back(matrix.format);
      outputs_.push_back(matrix.num_outputs);
    }
    return formats;
  }
  std::vector<int64_t> outputs_;
  ThreadPool pool_{1};
};

using testing::ElementsAre;

TEST_F(FormatTest, QuantizedTypesAreKeptWhereSpeedCounts) {
  EXPECT_THAT(
      QkvFormats(WeightPrecision::kFast, TensorType::kQ4_1, TensorType::kQ4_K),
      ElementsAre(MatrixFormat::kQ4));
  EXPECT_THAT(
      QkvFormats(WeightPrecision::kFast, TensorType::kQ8_0, TensorType::kQ8_0),
      ElementsAre(MatrixFormat::kQ8));
}

TEST_F(FormatTest, PartsOfOtherFormatsBecomeMatricesOfTheirOwn) {
  EXPECT_THAT(
      QkvFormats(WeightPrecision::kFast, TensorType::kQ4_K, TensorType::kQ6_K),
      ElementsAre(MatrixFormat::kQ4, MatrixFormat::kQ6));
  EXPECT_THAT(outputs_, ElementsAre(12, 4));
}

TEST_F(FormatTest, OnePartThatIsNotQuantizedMakesAllBf16) {
  EXPECT_THAT(
      QkvFormats(WeightPrecision::kFast, TensorType::kQ4_1, TensorType::kF32),
      ElementsAre(MatrixFormat::kBf16));
}

// The attention's output of one head of four, and of two of four.
TEST_F(FormatTest, WhereARankCutsGroupsOfInputsItsPartIsBf16) {
  ModelConfig config = OneLayer();
  config.hidden_size = 32;
  config.num_heads = 4;
  config.head_dim = 16;
  config.intermediate_size = 32;
  const RandomModelFiles files(config, TensorType::kQ4_1);
  ShardPlan shard = ShardPlan::Whole(config);
  shard.heads = {1, 2};
  const auto cut = *Weights::Load(files, WeightPrecision::kFast, shard, &pool_);
  EXPECT_EQ(cut->layers()[0].attention_output.format, MatrixFormat::kBf16);
  EXPECT_EQ(cut->layers()[0].down.format, MatrixFormat::kQ4);
  shard.heads = {2, 4};
  const auto on_borders =
      *Weights::Load(files, WeightPrecision::kFast, shard, &pool_);
  EXPECT_EQ(on_borders->layers()[0].attention_output.format, MatrixFormat::kQ4);
}

TEST_F(FormatTest, ExactWeightsAreAlwaysFloat32) {
  EXPECT_THAT(
      QkvFormats(WeightPrecision::kExact, TensorType::kQ4_1, TensorType::kQ6_K),
      ElementsAre(MatrixFormat::kF32));
}

}  // namespace
}  // namespace quire
