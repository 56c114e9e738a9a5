#include "common/modelfile/gguf_config.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/common/modelfile/is_error.h"
#include "tests/testing/gguf_writer.h"
#include "tests/testing/memory_file.h"

namespace quire {
namespace {

using testing::GgufWriter;
using testing::IsInvalid;
using testing::IsUnimplemented;
using testing::MemoryFile;

// Metadata of a small model, a key at a time, so that a test can change or
// leave out one.
class GgufConfigTest : public ::testing::Test {
 protected:
  absl::StatusOr<ModelConfig> Read() {
    GgufWriter writer;
    for (const auto& [key, add] : metadata_) add(writer, key);
    for (const auto& [name, shape] : tensors_) {
      int64_t num_bytes = 4;
      for (const int64_t dimension : shape) num_bytes *= dimension;
      writer.AddTensor(name, TensorType::kF32, shape,
                       std::string(num_bytes, '\0'));
    }
    const auto file = GgufFile::Open(MemoryFile(writer.Finish()).path());
    if (!file.ok()) return file.status();
    return ReadGgufConfig(**file);
  }

  template <typename T>
  void Set(const std::string& key, T value) {
    metadata_[key] = [value](GgufWriter& writer, const std::string& k) {
      writer.Add(k, value);
    };
  }
  void SetList(const std::string& key, std::vector<uint32_t> values) {
    metadata_[key] = [values](GgufWriter& writer, const std::string& k) {
      writer.AddArray(k, values);
    };
  }
  void Remove(const std::string& key) { ASSERT_EQ(metadata_.erase(key), 1u); }
  void RenameArchitecture(const std::string& architecture) {
    std::map<std::string, Adder> renamed;
    for (const auto& [key, add] : metadata_) {
      renamed[key.starts_with("llama.") ? architecture + key.substr(5) : key] =
          add;
    }
    metadata_ = renamed;
    Set("general.architecture", architecture);
  }

  void SetUp() override {
    Set("general.architecture", std::string("llama"));
    Set("llama.block_count", uint32_t{3});
    Set("llama.context_length", uint32_t{2048});
    Set("llama.embedding_length", uint32_t{64});
    Set("llama.feed_forward_length", uint32_t{160});
    Set("llama.attention.head_count", uint32_t{8});
    Set("llama.attention.head_count_kv", uint32_t{4});
    Set("llama.attention.layer_norm_rms_epsilon", 0.25f);
    Set("llama.rope.freq_base", 50000.0f);
    Set("tokenizer.ggml.eos_token_id", uint32_t{2});
  }

  using Adder = std::function<void(GgufWriter&, const std::string&)>;
  std::map<std::string, Adder> metadata_;
  std::map<std::string, std::vector<int64_t>> tensors_ = {
      {"token_embd.weight", {10, 64}}};
};

TEST_F(GgufConfigTest, MetadataBecomesTheConfiguration) {
  const ModelConfig config = Read().value();
  EXPECT_EQ(config.architecture, "llama");
  EXPECT_EQ(config.num_layers, 3);
  EXPECT_EQ(config.hidden_size, 64);
  EXPECT_EQ(config.intermediate_size, 160);
  EXPECT_EQ(config.num_heads, 8);
  EXPECT_EQ(config.num_kv_heads, 4);
  EXPECT_EQ(config.head_dim, 8);
  EXPECT_EQ(config.vocabulary_size, 10);
  EXPECT_EQ(config.context_length, 2048);
  EXPECT_EQ(config.rms_norm_epsilon, 0.25);
  EXPECT_EQ(config.rope_theta, 50000);
  EXPECT_EQ(config.eos_token_ids, std::vector<Token>{2});
}

TEST_F(GgufConfigTest, LlamaTurnsNeighboursAndQwen2Halves) {
  EXPECT_EQ(Read()->rope_pairing, RopePairing::kNeighbours);
  RenameArchitecture("qwen2");
  const ModelConfig config = Read().value();
  EXPECT_EQ(config.rope_pairing, RopePairing::kHalves);
  EXPECT_TRUE(config.attention_bias);
}

TEST_F(GgufConfigTest, AbsentKeysHaveTheirDefaults) {
  Remove("llama.attention.head_count_kv");
  Remove("llama.rope.freq_base");
  Remove("tokenizer.ggml.eos_token_id");
  const ModelConfig config = Read().value();
  EXPECT_EQ(config.num_kv_heads, 8);
  EXPECT_EQ(config.rope_theta, 10000);
  EXPECT_TRUE(config.eos_token_ids.empty());
}

TEST_F(GgufConfigTest, TensorsTellWhatTheMetadataDoesNot) {
  const ModelConfig without = Read().value();
  EXPECT_TRUE(without.tied_embeddings);
  EXPECT_FALSE(without.has_rope_factors);
  EXPECT_FALSE(without.attention_bias);
  tensors_["output.weight"] = {10, 64};
  tensors_["rope_freqs.weight"] = {4};
  tensors_["blk.0.attn_q.bias"] = {64};
  const ModelConfig with = Read().value();
  EXPECT_FALSE(with.tied_embeddings);
  EXPECT_TRUE(with.has_rope_factors);
  EXPECT_TRUE(with.attention_bias);
}

TEST_F(GgufConfigTest, HeadDimMayDifferFromItsShareOfTheHiddenSize) {
  Set("llama.attention.key_length", uint32_t{16});
  Set("llama.attention.value_length", uint32_t{16});
  Set("llama.rope.dimension_count", uint32_t{16});
  EXPECT_EQ(Read()->head_dim, 16);
}

TEST_F(GgufConfigTest, EndOfTurnEndsASequenceToo) {
  Set("tokenizer.ggml.eot_token_id", uint32_t{7});
  EXPECT_EQ(Read()->eos_token_ids, (std::vector<Token>{2, 7}));
  Set("tokenizer.ggml.eot_token_id", uint32_t{2});
  EXPECT_EQ(Read()->eos_token_ids, (std::vector<Token>{2}));
}

TEST_F(GgufConfigTest, ScalingOfTypeNoneIsNoScaling) {
  Set("llama.rope.scaling.type", std::string("none"));
  EXPECT_TRUE(Read().ok());
}

TEST_F(GgufConfigTest, WindowThatCoversTheContextIsNotInUse) {
  Set("llama.attention.sliding_window", uint32_t{2048});
  EXPECT_TRUE(Read().ok());
  Set("llama.attention.sliding_window", uint32_t{2047});
  EXPECT_THAT(Read(),
              IsUnimplemented("metadata 'llama.attention.sliding_window' of "
                              "2047 is not supported"));
}

TEST_F(GgufConfigTest, OtherArchitectureIsRefusedByName) {
  RenameArchitecture("gemma3");
  EXPECT_THAT(Read(),
              IsUnimplemented("architecture 'gemma3' is not supported"));
  Remove("general.architecture");
  EXPECT_THAT(Read(), IsInvalid("'general.architecture' is missing"));
}

TEST_F(GgufConfigTest, ScaledRopeIsRefusedByName) {
  for (const char* type : {"linear", "yarn", "longrope"}) {
    Set("llama.rope.scaling.type", std::string(type));
    EXPECT_THAT(
        Read(),
        IsUnimplemented(std::string("'llama.rope.scaling.type' of '") + type))
        << type;
  }
}

TEST_F(GgufConfigTest, FactorWithoutATypeIsLinearScaling) {
  Set("llama.rope.scaling.factor", 2.0f);
  EXPECT_THAT(Read(), IsUnimplemented("'llama.rope.scaling.factor' of 2"));
  Set("llama.rope.scaling.type", std::string("none"));
  EXPECT_TRUE(Read().ok());
}

TEST_F(GgufConfigTest, ExpertsAreRefused) {
  Set("llama.expert_count", uint32_t{8});
  EXPECT_THAT(Read(), IsUnimplemented("'llama.expert_count' of 8"));
}

TEST_F(GgufConfigTest, PartlyRotatedAndUnevenHeadsAreRefused) {
  Set("llama.rope.dimension_count", uint32_t{4});
  EXPECT_THAT(
      Read(),
      IsUnimplemented("'llama.rope.dimension_count' of 4, where heads have 8"));
  Remove("llama.rope.dimension_count");
  Set("llama.attention.value_length", uint32_t{4});
  EXPECT_THAT(Read(),
              IsUnimplemented(
                  "'llama.attention.value_length' of 4, where keys have 8"));
}

TEST_F(GgufConfigTest, MultipliersOfOtherFamiliesAreRefused) {
  Set("llama.logit_scale", 8.0f);
  EXPECT_THAT(Read(), IsUnimplemented("'llama.logit_scale' of 8"));
  Set("llama.logit_scale", 1.0f);
  EXPECT_TRUE(Read().ok());
}

TEST_F(GgufConfigTest, OnePartOfSeveralIsRefused) {
  Set("split.count", uint16_t{3});
  EXPECT_THAT(Read(), IsUnimplemented("one of 3 parts"));
}

TEST_F(GgufConfigTest, HeadsThatDifferByLayerAreNotTakenForAbsent) {
  SetList("llama.attention.head_count_kv", {4, 4, 8});
  EXPECT_THAT(
      Read(),
      IsInvalid("'llama.attention.head_count_kv' must be one whole number"));
}

TEST_F(GgufConfigTest, MissingAndAbsurdSizesAreRefused) {
  Set("llama.block_count", UINT64_MAX);
  EXPECT_THAT(
      Read(),
      IsInvalid(
          "'llama.block_count' must be one whole number from 0 to 2^31 - 1"));
  Set("llama.block_count", uint32_t{0});
  EXPECT_THAT(Read(), IsInvalid("num_layers is 0"));
  Remove("llama.block_count");
  EXPECT_THAT(Read(), IsInvalid("'llama.block_count' is missing"));
}

TEST_F(GgufConfigTest, NoHeadsAreRefusedBeforeAnythingIsDivided) {
  Set("llama.attention.head_count", uint32_t{0});
  EXPECT_THAT(Read(), IsInvalid("attention.head_count"));
}

TEST_F(GgufConfigTest, EpsilonIsNotGuessed) {
  Remove("llama.attention.layer_norm_rms_epsilon");
  EXPECT_THAT(Read(),
              IsInvalid("'llama.attention.layer_norm_rms_epsilon' is missing"));
}

TEST_F(GgufConfigTest, EndTokenOutsideTheVocabularyIsRefused) {
  Set("tokenizer.ggml.eos_token_id", uint32_t{10});
  EXPECT_THAT(Read(), IsInvalid("eos_token_ids has 10"));
  Set("tokenizer.ggml.eos_token_id", UINT32_MAX);
  EXPECT_THAT(Read(), IsInvalid("must be a token id"));
}

TEST_F(GgufConfigTest, FileWithoutAnEmbeddingIsRefused) {
  tensors_.clear();
  EXPECT_THAT(Read(), IsInvalid("'token_embd.weight' is missing"));
}

}  // namespace
}  // namespace quire
