#include "worker/weights/weights.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "kernels/half_floats.h"
#include "tests/kernels/kernel_testing.h"

namespace quire {
namespace {

// A model of one layer in memory.
class FakeModelFiles : public ModelFiles {
 public:
  FakeModelFiles() {
    config_.architecture = "qwen2";
    config_.num_layers = 1;
    config_.hidden_size = 8;
    config_.intermediate_size = 12;
    config_.num_heads = 2;
    config_.num_kv_heads = 1;
    config_.head_dim = 4;
    config_.vocabulary_size = 10;
    config_.attention_bias = true;
    AddTensor("token_embd.weight", {10, 8});
    AddTensor("output.weight", {10, 8});
    AddTensor("output_norm.weight", {8});
    AddTensor("blk.0.attn_norm.weight", {8});
    AddTensor("blk.0.attn_q.weight", {8, 8});
    AddTensor("blk.0.attn_k.weight", {4, 8});
    AddTensor("blk.0.attn_v.weight", {4, 8});
    AddTensor("blk.0.attn_q.bias", {8});
    AddTensor("blk.0.attn_k.bias", {4});
    AddTensor("blk.0.attn_v.bias", {4});
    AddTensor("blk.0.attn_output.weight", {8, 8});
    AddTensor("blk.0.ffn_norm.weight", {8});
    AddTensor("blk.0.ffn_gate.weight", {12, 8});
    AddTensor("blk.0.ffn_up.weight", {12, 8});
    AddTensor("blk.0.ffn_down.weight", {8, 12});
    AddTensor("rope_freqs.weight", {2});
  }

  // Fills a tensor with numbers of its own.
  void AddTensor(const std::string& name, const std::vector<int64_t>& shape) {
    int64_t size = 1;
    for (int64_t extent : shape) size *= extent;
    std::vector<float>& values = values_[name];
    values = RandomFloats(std::hash<std::string>()(name)).Vector(size);
    tensors_[name] = {.name = name,
                      .type = TensorType::kF32,
                      .shape = shape,
                      .data = std::as_bytes(std::span(values))};
  }
  void RemoveTensor(const std::string& name) { tensors_.erase(name); }
  const std::vector<float>& Values(const std::string& name) {
    return values_[name];
  }
  ModelConfig& mutable_config() { return config_; }

  const ModelConfig& config() const override { return config_; }
  const std::string& name() const override { return empty_; }
  const std::string& fingerprint() const override { return empty_; }
  uint64_t num_parameters() const override { return 0; }
  const TensorView* FindTensor(std::string_view name) const override {
    const auto it = tensors_.find(std::string(name));
    return it == tensors_.end() ? nullptr : &it->second;
  }
  const GgufFile* gguf() const override { return nullptr; }
  const std::string& folder() const override { return empty_; }

 private:
  ModelConfig config_;
  std::map<std::string, std::vector<float>> values_;
  std::map<std::string, TensorView> tensors_;
  std::string empty_;
};

class WeightsTest : public testing::Test {
 protected:
  std::unique_ptr<Weights> MustLoad(MatrixFormat format = MatrixFormat::kF32) {
    auto weights = Weights::Load(files_, format, &pool_);
    EXPECT_TRUE(weights.ok()) << weights.status();
    return *std::move(weights);
  }
  std::string LoadError() {
    const auto weights = Weights::Load(files_, MatrixFormat::kF32, &pool_);
    EXPECT_EQ(weights.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(weights.status().message());
  }
  // Element of a packed matrix of one strip, in float32.
  static float At(const PackedMatrix& matrix, int64_t output, int64_t input) {
    return reinterpret_cast<const float*>(
        matrix.data)[input * kStripOutputs + output];
  }

  FakeModelFiles files_;
  ThreadPool pool_{2};
};

TEST_F(WeightsTest, QueryKeyAndValueLieOneBelowTheOther) {
  const auto weights = MustLoad();
  const PackedMatrix& qkv = weights->layers()[0].qkv;
  EXPECT_EQ(qkv.num_outputs, 16);
  EXPECT_EQ(At(qkv, 7, 3), files_.Values("blk.0.attn_q.weight")[7 * 8 + 3]);
  EXPECT_EQ(At(qkv, 8, 3), files_.Values("blk.0.attn_k.weight")[3]);
  EXPECT_EQ(At(qkv, 15, 3), files_.Values("blk.0.attn_v.weight")[3 * 8 + 3]);
  const float* bias = weights->layers()[0].qkv_bias;
  EXPECT_EQ(bias[7], files_.Values("blk.0.attn_q.bias")[7]);
  EXPECT_EQ(bias[8], files_.Values("blk.0.attn_k.bias")[0]);
  EXPECT_EQ(bias[12], files_.Values("blk.0.attn_v.bias")[0]);
}

TEST_F(WeightsTest, GateLiesAboveUp) {
  const auto weights = MustLoad();
  const PackedMatrix& gate_up = weights->layers()[0].gate_up;
  EXPECT_EQ(gate_up.num_outputs, 24);
  EXPECT_EQ(At(gate_up, 11, 2),
            files_.Values("blk.0.ffn_gate.weight")[11 * 8 + 2]);
  EXPECT_EQ(At(gate_up, 12, 2), files_.Values("blk.0.ffn_up.weight")[2]);
}

TEST_F(WeightsTest, ATiedOutputIsTheEmbedding) {
  EXPECT_EQ(At(MustLoad()->output(), 9, 1),
            files_.Values("output.weight")[9 * 8 + 1]);
  files_.mutable_config().tied_embeddings = true;
  EXPECT_EQ(At(MustLoad()->output(), 9, 1),
            files_.Values("token_embd.weight")[9 * 8 + 1]);
}

TEST_F(WeightsTest, EmbeddingsAreExactWhateverTheFormatOfProducts) {
  const auto weights = MustLoad(MatrixFormat::kBf16);
  float row[8];
  weights->Embed(6, row);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(row[i], files_.Values("token_embd.weight")[6 * 8 + i]);
}

TEST_F(WeightsTest, TheyOutliveTheirFiles) {
  std::unique_ptr<Weights> weights;
  {
    FakeModelFiles files;
    weights = *Weights::Load(files, MatrixFormat::kF32, &pool_);
  }
  float row[8];
  weights->Embed(6, row);
  EXPECT_EQ(row[0], files_.Values("token_embd.weight")[6 * 8]);
  EXPECT_EQ(weights->output_norm()[7], files_.Values("output_norm.weight")[7]);
}

TEST_F(WeightsTest, RopeFactorsAreReadWhereTheModelHasThem) {
  EXPECT_TRUE(MustLoad()->rope_factors().empty());
  files_.mutable_config().has_rope_factors = true;
  const auto weights = MustLoad();
  ASSERT_EQ(weights->rope_factors().size(), 2);
  EXPECT_EQ(weights->rope_factors()[1], files_.Values("rope_freqs.weight")[1]);
}

TEST_F(WeightsTest, AMissingTensorIsNamed) {
  files_.RemoveTensor("blk.0.ffn_up.weight");
  EXPECT_EQ(LoadError(), "blk.0.ffn_up.weight: no such tensor");
}

TEST_F(WeightsTest, AnotherShapeIsRefusedWithBoth) {
  files_.AddTensor("blk.0.attn_k.weight", {8, 4});
  EXPECT_EQ(LoadError(),
            "blk.0.attn_k.weight: shape [8, 4] where [4, 8] is expected");
}

}  // namespace
}  // namespace quire
