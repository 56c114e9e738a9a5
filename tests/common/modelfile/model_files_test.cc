#include "common/modelfile/model_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/common/modelfile/is_error.h"
#include "tests/common/modelfile/safetensors_bytes.h"
#include "tests/testing/gguf_writer.h"
#include "tests/testing/memory_file.h"
#include "tests/testing/model_converter.h"
#include "tests/testing/temporary_folder.h"

namespace quire {
namespace {

using testing::GgufFromFolder;
using testing::IsError;
using testing::IsInvalid;
using testing::IsUnimplemented;
using testing::MemoryFile;
using testing::ReadFile;
using testing::SafetensorsBytes;
using testing::TemporaryFolder;

constexpr char kTiny[] = "tests/testdata/tiny/";

std::unique_ptr<ModelFiles> OpenTiny(const std::string& name) {
  return ModelFiles::Open(kTiny + name).value();
}

std::string_view Text(const TensorView& tensor) {
  return {reinterpret_cast<const char*>(tensor.data.data()),
          tensor.data.size()};
}

TEST(ModelFiles, LlamaFolderIsRead) {
  const auto model = OpenTiny("llama3rope_f32");
  const ModelConfig& config = model->config();
  EXPECT_EQ(config.architecture, "llama");
  EXPECT_EQ(config.num_layers, 3);
  EXPECT_EQ(config.head_dim, 8);
  EXPECT_EQ(config.rope_theta, 500000);
  ASSERT_TRUE(config.llama3_rope_scaling.has_value());
  EXPECT_EQ(config.llama3_rope_scaling->original_context_length, 256);
  EXPECT_FALSE(config.tied_embeddings);
  EXPECT_EQ(model->name(), "llama3rope_f32");
  EXPECT_EQ(model->num_parameters(), 195008u);
  EXPECT_EQ(model->gguf(), nullptr);
  EXPECT_EQ(model->folder(), "tests/testdata/tiny/llama3rope_f32");
}

TEST(ModelFiles, MistralFolderHasHeadsOfItsOwnSize) {
  const auto model = OpenTiny("mistral_f16");
  EXPECT_EQ(model->config().architecture, "llama");
  EXPECT_EQ(model->config().head_dim, 16);
  const TensorView* output = model->FindTensor("blk.2.attn_output.weight");
  ASSERT_NE(output, nullptr);
  EXPECT_EQ(output->shape, (std::vector<int64_t>{64, 128}));
  EXPECT_EQ(output->type, TensorType::kF16);
}

TEST(ModelFiles, Qwen2FolderIsTiedAndHasBiases) {
  const auto model = OpenTiny("qwen2_bf16");
  EXPECT_EQ(model->config().architecture, "qwen2");
  EXPECT_TRUE(model->config().tied_embeddings);
  EXPECT_TRUE(model->config().attention_bias);
  EXPECT_NE(model->FindTensor("blk.1.attn_k.bias"), nullptr);
  EXPECT_EQ(model->FindTensor("output.weight"), nullptr);
}

class TinyModelTest : public ::testing::TestWithParam<const char*> {};

TEST_P(TinyModelTest, GgufMadeFromTheFolderHasTheSameConfiguration) {
  const auto folder = OpenTiny(GetParam());
  const auto gguf =
      ModelFiles::Open(
          MemoryFile(GgufFromFolder(kTiny + std::string(GetParam())).Finish())
              .path())
          .value();
  const ModelConfig &a = folder->config(), &b = gguf->config();
  EXPECT_EQ(a.architecture, b.architecture);
  EXPECT_EQ(a.num_layers, b.num_layers);
  EXPECT_EQ(a.hidden_size, b.hidden_size);
  EXPECT_EQ(a.intermediate_size, b.intermediate_size);
  EXPECT_EQ(a.num_heads, b.num_heads);
  EXPECT_EQ(a.num_kv_heads, b.num_kv_heads);
  EXPECT_EQ(a.head_dim, b.head_dim);
  EXPECT_EQ(a.vocabulary_size, b.vocabulary_size);
  EXPECT_EQ(a.context_length, b.context_length);
  EXPECT_EQ(static_cast<float>(a.rms_norm_epsilon),
            static_cast<float>(b.rms_norm_epsilon));
  EXPECT_EQ(a.rope_theta, b.rope_theta);
  EXPECT_EQ(a.attention_bias, b.attention_bias);
  EXPECT_EQ(a.tied_embeddings, b.tied_embeddings);
  EXPECT_EQ(a.eos_token_ids, b.eos_token_ids);
  EXPECT_EQ(a.llama3_rope_scaling.has_value(), b.has_rope_factors);
  EXPECT_EQ(b.rope_pairing, b.architecture == "llama" ? RopePairing::kNeighbours
                                                      : RopePairing::kHalves);
  EXPECT_EQ(folder->name(), gguf->name());
}

TEST_P(TinyModelTest, GgufMadeFromTheFolderHasTheSameTensors) {
  const auto folder = OpenTiny(GetParam());
  const auto gguf =
      ModelFiles::Open(
          MemoryFile(GgufFromFolder(kTiny + std::string(GetParam())).Finish())
              .path())
          .value();
  for (const char* name : {"token_embd.weight", "output_norm.weight",
                           "blk.2.attn_v.weight", "blk.1.ffn_down.weight"}) {
    ASSERT_NE(folder->FindTensor(name), nullptr) << name;
    ASSERT_NE(gguf->FindTensor(name), nullptr) << name;
    EXPECT_EQ(folder->FindTensor(name)->shape, gguf->FindTensor(name)->shape)
        << name;
    EXPECT_EQ(Text(*folder->FindTensor(name)), Text(*gguf->FindTensor(name)))
        << name;
  }
}

TEST_P(TinyModelTest, FingerprintIsSixteenDigitsAndTheSameEachTime) {
  const auto model = OpenTiny(GetParam());
  EXPECT_THAT(model->fingerprint(), ::testing::MatchesRegex("[0-9a-f]{16}"));
  EXPECT_EQ(model->fingerprint(), OpenTiny(GetParam())->fingerprint());
}

INSTANTIATE_TEST_SUITE_P(Models, TinyModelTest,
                         ::testing::Values("llama3rope_f32", "mistral_f16",
                                           "qwen2_bf16"));

// A copy of a tiny model that a test may damage.
class DamagedFolderTest : public ::testing::Test {
 protected:
  void Copy(const std::string& name) {
    for (const char* file :
         {"config.json", "generation_config.json", "model.safetensors"}) {
      folder_.Write(file, ReadFile(kTiny + name + "/" + file));
    }
  }
  void Replace(const std::string& file, const std::string& from,
               const std::string& to) {
    std::string text = ReadFile(folder_.path() + "/" + file);
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    folder_.Write(file, text.replace(at, from.size(), to));
  }
  auto Open() { return ModelFiles::Open(folder_.path()); }

  void RenameTensor(const std::string& from, const std::string& to) {
    EditWeights([&](nlohmann::json& header, std::string&) {
      header[to] = header.at(from);
      header.erase(from);
    });
  }
  void AddTensor(const std::string& name, size_t num_floats) {
    EditWeights([&](nlohmann::json& header, std::string& data) {
      const size_t end = data.size() + 4 * num_floats;
      header[name] = {{"dtype", "F32"},
                      {"shape", {num_floats}},
                      {"data_offsets", {data.size(), end}}};
      data.resize(end);
    });
  }

  TemporaryFolder folder_;

 private:
  void EditWeights(const std::function<void(nlohmann::json& header,
                                            std::string& data)>& edit) {
    const std::string bytes = ReadFile(folder_.path() + "/model.safetensors");
    uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof(length));
    nlohmann::json header = nlohmann::json::parse(bytes.substr(8, length));
    std::string data = bytes.substr(8 + length);
    edit(header, data);
    folder_.Write("model.safetensors", SafetensorsBytes(header.dump(), data));
  }
};

TEST_F(DamagedFolderTest, AbsentOutputMatrixMeansTied) {
  Copy("qwen2_bf16");
  Replace("config.json", "\"tie_word_embeddings\": true",
          "\"tie_word_embeddings\": false");
  EXPECT_TRUE(Open().value()->config().tied_embeddings);
}

TEST_F(DamagedFolderTest, TiedModelHidesAnOutputMatrixThatIsThere) {
  Copy("llama3rope_f32");
  const uint64_t untied = Open().value()->num_parameters();
  Replace("config.json", "\"tie_word_embeddings\": false",
          "\"tie_word_embeddings\": true");
  const auto model = Open().value();
  EXPECT_EQ(model->FindTensor("output.weight"), nullptr);
  EXPECT_EQ(model->num_parameters(), untied - 512 * 64);
}

TEST_F(DamagedFolderTest, RenamedTensorIsRefused) {
  Copy("llama3rope_f32");
  RenameTensor("model.layers.1.mlp.up_proj.weight",
               "model.layers.1.mlp.u_proj.weight");
  EXPECT_THAT(
      Open(),
      IsUnimplemented(
          "tensor 'model.layers.1.mlp.u_proj.weight' is not supported"));
}

TEST_F(DamagedFolderTest, FusedTensorIsRefusedByName) {
  Copy("llama3rope_f32");
  RenameTensor("model.layers.1.mlp.gate_proj.weight",
               "model.layers.1.mlp.gate_up_proj.weight");
  EXPECT_THAT(Open(),
              IsUnimplemented("'model.layers.1.mlp.gate_up_proj.weight' is not "
                              "supported: it fuses several matrices"));
}

TEST_F(DamagedFolderTest, MissingTensorIsRefusedByName) {
  Copy("qwen2_bf16");
  RenameTensor("model.layers.1.self_attn.q_proj.bias",
               "model.layers.1.self_attn.rotary_emb.inv_freq");
  EXPECT_THAT(Open(), IsInvalid("tensor 'blk.1.attn_q.bias' is missing"));
}

TEST_F(DamagedFolderTest, FrequenciesOfOldCheckpointsAreLeftAlone) {
  Copy("llama3rope_f32");
  AddTensor("model.layers.0.self_attn.rotary_emb.inv_freq", 4);
  EXPECT_EQ(Open().value()->num_parameters(),
            OpenTiny("llama3rope_f32")->num_parameters());
}

TEST_F(DamagedFolderTest, MoreLayersThanTensorsAreRefused) {
  Copy("mistral_f16");
  Replace("config.json", "\"num_hidden_layers\": 3",
          "\"num_hidden_layers\": 60000");
  EXPECT_THAT(Open(), IsInvalid("tensor 'blk.3.attn_norm.weight' is missing"));
}

TEST_F(DamagedFolderTest, ShapeThatContradictsTheConfigurationIsRefused) {
  Copy("mistral_f16");
  Replace("config.json", "\"head_dim\": 16", "\"head_dim\": 8");
  EXPECT_THAT(Open(), IsInvalid("tensor 'blk.0.attn_q.weight' has shape [128, "
                                "64], the configuration calls for [64, 64]"));
}

TEST_F(DamagedFolderTest, WeightsOfAnotherTypeAreRefusedByName) {
  Copy("mistral_f16");
  Replace("model.safetensors", "\"dtype\":\"F16\"", "\"dtype\":\"I16\"");
  EXPECT_THAT(Open(), IsUnimplemented("of type 'I16' is not supported"));
}

TEST_F(DamagedFolderTest, OneChangedByteOfANormChangesTheFingerprint) {
  Copy("llama3rope_f32");
  const std::string before = Open().value()->fingerprint();
  std::string bytes = ReadFile(folder_.path() + "/model.safetensors");
  bytes.back() ^=
      1;  // Of model.norm.weight, which is small enough to be read whole.
  folder_.Write("model.safetensors", bytes);
  EXPECT_NE(Open().value()->fingerprint(), before);
}

TEST_F(DamagedFolderTest, FolderWithoutAConfigurationIsNotFound) {
  EXPECT_THAT(Open(), IsError(absl::StatusCode::kNotFound, "config.json"));
  EXPECT_THAT(ModelFiles::Open("/no/such/model"),
              IsError(absl::StatusCode::kNotFound, "/no/such/model"));
}

TEST(ModelFiles, NameIsOneLineOfUtf8WhateverTheFileSays) {
  std::string bytes =
      GgufFromFolder(std::string(kTiny) + "qwen2_bf16").Finish();
  bytes.replace(bytes.find("qwen2_bf16"), 10, "a\nb\xff\xc3\xa9zzzz");
  const auto model = ModelFiles::Open(MemoryFile(bytes).path()).value();
  EXPECT_EQ(model->name(), "a b\xef\xbf\xbd\xc3\xa9zzzz");
}

TEST(ModelFiles, PublishedModelOpens) {
  const char* home = std::getenv("HOME");
  const std::string path =
      std::string(home == nullptr ? "" : home) +
      "/.cache/quire/models/SmolLM2-135M-Instruct.Q4_1.gguf";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto model = ModelFiles::Open(path).value();
  EXPECT_EQ(model->config().num_layers, 30);
  EXPECT_EQ(model->config().num_kv_heads, 3);
  EXPECT_EQ(model->config().vocabulary_size, 49152);
  EXPECT_EQ(model->config().rope_theta, 100000);
  EXPECT_TRUE(model->config().tied_embeddings);
  EXPECT_EQ(model->num_parameters(), 134515008u);
  EXPECT_EQ(model->FindTensor("token_embd.weight")->type, TensorType::kQ8_0);
  EXPECT_EQ(model->FindTensor("blk.29.ffn_up.weight")->type, TensorType::kQ4_1);
  EXPECT_EQ(model->gguf()->GetStrings("tokenizer.ggml.tokens")->size(), 49152u);
}

}  // namespace
}  // namespace quire
