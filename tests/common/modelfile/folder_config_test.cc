#include "common/modelfile/folder_config.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/common/modelfile/is_error.h"
#include "tests/testing/temporary_folder.h"

namespace quire {
namespace {

using Json = nlohmann::json;
using testing::IsError;
using testing::IsInvalid;
using testing::IsOk;
using testing::IsUnimplemented;
using testing::TemporaryFolder;

Json LlamaJson() {
  return Json::parse(
      R"({"model_type":"llama","num_hidden_layers":3,"hidden_size":64,"intermediate_size":160,
      "num_attention_heads":8,"num_key_value_heads":4,"vocab_size":512,"max_position_embeddings":2048,
      "rms_norm_eps":0.25,"rope_theta":50000.0,"hidden_act":"silu","eos_token_id":2})");
}

absl::StatusOr<ModelConfig> Parse(const Json& config,
                                  const Json& generation = nullptr) {
  return ParseFolderConfig(config, generation);
}

// The configuration with one field of config.json set.
absl::StatusOr<ModelConfig> ParseWith(const std::string& key, const Json& value,
                                      Json config = LlamaJson()) {
  config[key] = value;
  return Parse(config);
}

Json JsonOfType(const std::string& model_type) {
  Json config = LlamaJson();
  config["model_type"] = model_type;
  return config;
}

TEST(FolderConfig, FieldsBecomeTheConfiguration) {
  const ModelConfig config = Parse(LlamaJson()).value();
  EXPECT_EQ(config.architecture, "llama");
  EXPECT_EQ(config.num_layers, 3);
  EXPECT_EQ(config.hidden_size, 64);
  EXPECT_EQ(config.intermediate_size, 160);
  EXPECT_EQ(config.num_heads, 8);
  EXPECT_EQ(config.num_kv_heads, 4);
  EXPECT_EQ(config.head_dim, 8);
  EXPECT_EQ(config.vocabulary_size, 512);
  EXPECT_EQ(config.context_length, 2048);
  EXPECT_EQ(config.rms_norm_epsilon, 0.25);
  EXPECT_EQ(config.rope_theta, 50000);
  EXPECT_EQ(config.rope_pairing, RopePairing::kHalves);
  EXPECT_FALSE(config.tied_embeddings);
  EXPECT_FALSE(config.attention_bias);
  EXPECT_EQ(config.eos_token_ids, std::vector<Token>{2});
}

TEST(FolderConfig, AbsentFieldsMeanWhatTheyMeanToTransformers) {
  Json json = LlamaJson();
  for (const char* key : {"num_key_value_heads", "rms_norm_eps", "rope_theta",
                          "hidden_act", "eos_token_id"}) {
    json.erase(key);
  }
  const ModelConfig config = Parse(json).value();
  EXPECT_EQ(config.num_kv_heads, 8);
  EXPECT_EQ(config.rms_norm_epsilon, 1e-6);
  EXPECT_EQ(config.rope_theta, 10000);
  EXPECT_TRUE(config.eos_token_ids.empty());
}

TEST(FolderConfig, HeadDimIsGivenOrDerived) {
  EXPECT_EQ(ParseWith("head_dim", 16)->head_dim, 16);
  EXPECT_EQ(ParseWith("head_dim", nullptr)->head_dim, 8);
  EXPECT_THAT(
      ParseWith("hidden_size", 65),
      IsInvalid(
          "hidden_size is 65, expected a multiple of num_attention_heads, 8"));
  EXPECT_THAT(ParseWith("num_attention_heads", 0),
              IsInvalid("num_attention_heads, 0"));
}

TEST(FolderConfig, ModelTypesNameTheArchitecture) {
  Json mistral = JsonOfType("mistral");
  mistral["sliding_window"] = nullptr;
  EXPECT_EQ(Parse(mistral)->architecture, "llama");
  const ModelConfig qwen2 = Parse(JsonOfType("qwen2")).value();
  EXPECT_EQ(qwen2.architecture, "qwen2");
  EXPECT_TRUE(qwen2.attention_bias);
  EXPECT_THAT(Parse(JsonOfType("gemma2")),
              IsUnimplemented("model_type 'gemma2' is not supported"));
}

const Json& Llama3Rope() {
  static const Json rope = {{"factor", 8.0},
                            {"low_freq_factor", 1.0},
                            {"high_freq_factor", 4},
                            {"original_max_position_embeddings", 256}};
  return rope;
}

void ExpectLlama3Scaling(const absl::StatusOr<ModelConfig>& config) {
  ASSERT_THAT(config, IsOk());
  ASSERT_TRUE(config->llama3_rope_scaling.has_value());
  EXPECT_EQ(config->llama3_rope_scaling->factor, 8);
  EXPECT_EQ(config->llama3_rope_scaling->low_freq_factor, 1);
  EXPECT_EQ(config->llama3_rope_scaling->high_freq_factor, 4);
  EXPECT_EQ(config->llama3_rope_scaling->original_context_length, 256);
}

TEST(FolderConfig, RopeIsReadInTodaysForm) {
  Json rope = Llama3Rope();
  rope["rope_type"] = "llama3";
  rope["rope_theta"] = 500000.0;
  const auto config = ParseWith("rope_parameters", rope);
  ExpectLlama3Scaling(config);
  EXPECT_EQ(config->rope_theta, 500000);
  EXPECT_FALSE(ParseWith("rope_parameters", {{"rope_type", "default"}})
                   ->llama3_rope_scaling.has_value());
}

TEST(FolderConfig, RopeIsReadInBothOlderForms) {
  for (const char* key : {"rope_type", "type"}) {
    Json rope = Llama3Rope();
    rope[key] = "llama3";
    const auto config = ParseWith("rope_scaling", rope);
    ExpectLlama3Scaling(config);
    EXPECT_EQ(config->rope_theta, 50000);
  }
  EXPECT_FALSE(
      ParseWith("rope_scaling", nullptr)->llama3_rope_scaling.has_value());
}

TEST(FolderConfig, OtherRopesAreRefusedByName) {
  for (const char* type : {"linear", "dynamic", "yarn", "longrope"}) {
    const std::string message =
        std::string("RoPE of type '") + type + "' is not supported";
    EXPECT_THAT(
        ParseWith("rope_parameters", {{"rope_type", type}, {"factor", 2.0}}),
        IsUnimplemented(message));
    EXPECT_THAT(ParseWith("rope_scaling", {{"type", type}, {"factor", 2.0}}),
                IsUnimplemented(message));
  }
  EXPECT_THAT(ParseWith("rope_parameters",
                        {{"full_attention", {{"rope_type", "yarn"}}}}),
              IsUnimplemented("RoPE that differs between layers"));
  EXPECT_THAT(ParseWith("partial_rotary_factor", 0.5),
              IsUnimplemented("partial_rotary_factor of 0.5"));
  EXPECT_THAT(ParseWith("rope_parameters", {{"partial_rotary_factor", 0.5}}),
              IsUnimplemented("partial_rotary_factor of 0.5"));
}

TEST(FolderConfig, IncompleteOrDoubleRopeIsRefused) {
  EXPECT_THAT(
      ParseWith("rope_parameters", {{"rope_type", "llama3"}, {"factor", 8}}),
      IsInvalid(
          "config.json rope_parameters: field 'low_freq_factor' is missing"));
  EXPECT_THAT(ParseWith("rope_scaling", 2.0),
              IsInvalid("field 'rope_scaling' must be an object"));
  Json both = LlamaJson();
  both["rope_parameters"] = {{"rope_type", "default"}};
  EXPECT_THAT(ParseWith("rope_scaling", {{"type", "default"}}, both),
              IsInvalid("both rope_parameters and rope_scaling"));
}

TEST(FolderConfig, MistralWindowInUseIsRefused) {
  const Json mistral = JsonOfType("mistral");
  EXPECT_THAT(
      ParseWith("sliding_window", 1024, mistral),
      IsUnimplemented(
          "a sliding_window of 1024 below max_position_embeddings, 2048"));
  EXPECT_THAT(ParseWith("sliding_window", 2048, mistral), IsOk());
  EXPECT_THAT(ParseWith("sliding_window", nullptr, mistral), IsOk());
}

TEST(FolderConfig, AbsentMistralWindowIsTheDefaultOfTransformers) {
  const Json mistral = JsonOfType("mistral");
  EXPECT_THAT(Parse(mistral), IsOk());
  EXPECT_THAT(ParseWith("max_position_embeddings", 8192, mistral),
              IsUnimplemented("a sliding_window of 4096 (the default)"));
}

TEST(FolderConfig, Qwen2WindowInUseIsRefused) {
  EXPECT_THAT(ParseWith("use_sliding_window", true, JsonOfType("qwen2")),
              IsUnimplemented("use_sliding_window"));
  EXPECT_THAT(ParseWith("use_sliding_window", false, JsonOfType("qwen2")),
              IsOk());
  EXPECT_THAT(ParseWith("layer_types", {"full_attention", "sliding_attention"},
                        JsonOfType("qwen2")),
              IsUnimplemented("layer type 'sliding_attention'"));
}

TEST(FolderConfig, WhatWouldBeComputedWronglyIsRefusedByName) {
  EXPECT_THAT(ParseWith("hidden_act", "gelu"),
              IsUnimplemented("hidden_act 'gelu'"));
  EXPECT_THAT(ParseWith("attention_bias", true),
              IsUnimplemented("attention_bias"));
  EXPECT_THAT(ParseWith("mlp_bias", true), IsUnimplemented("mlp_bias"));
  EXPECT_THAT(ParseWith("quantization_config", {{"quant_method", "fp8"}}),
              IsUnimplemented("quantization_config"));
}

TEST(FolderConfig, EndTokensOfBothFilesAreGathered) {
  EXPECT_EQ(ParseWith("eos_token_id", {3, 4})->eos_token_ids,
            (std::vector<Token>{3, 4}));
  EXPECT_EQ(Parse(LlamaJson(), {{"eos_token_id", {2, 5}}})->eos_token_ids,
            (std::vector<Token>{2, 5}));
  EXPECT_EQ(Parse(LlamaJson(), {{"eos_token_id", 7}})->eos_token_ids,
            (std::vector<Token>{2, 7}));
  EXPECT_TRUE(ParseWith("eos_token_id", nullptr)->eos_token_ids.empty());
}

TEST(FolderConfig, AbsurdEndTokensAreRefused) {
  EXPECT_THAT(ParseWith("eos_token_id", 512),
              IsInvalid("eos_token_ids has 512"));
  EXPECT_THAT(ParseWith("eos_token_id", -1), IsInvalid("eos_token_id is -1"));
  EXPECT_THAT(ParseWith("eos_token_id", 1e3),
              IsInvalid("must be a whole number"));
  EXPECT_THAT(ParseWith("eos_token_id", std::vector<int>(257, 1)),
              IsInvalid("lists 257 ids, the limit is 256"));
  EXPECT_THAT(Parse(LlamaJson(), Json::array()),
              IsInvalid("generation_config.json: expected an object"));
}

class FolderConfigKindTest : public ::testing::TestWithParam<const char*> {};

TEST_P(FolderConfigKindTest, WrongKindAndAbsurdSizeAreRefusedByField) {
  const std::string field = std::string("'") + GetParam() + "'";
  EXPECT_THAT(ParseWith(GetParam(), "8"), IsInvalid(field));
  EXPECT_THAT(ParseWith(GetParam(), 8.0), IsInvalid(field));
  EXPECT_THAT(ParseWith(GetParam(), Json::array({8})), IsInvalid(field));
  EXPECT_THAT(ParseWith(GetParam(), UINT64_MAX), IsInvalid(field));
  for (const int64_t value :
       {int64_t{0}, int64_t{-8}, INT64_MIN, INT64_MAX, int64_t{1} << 40}) {
    EXPECT_THAT(ParseWith(GetParam(), value), IsInvalid("expected")) << value;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fields, FolderConfigKindTest,
    ::testing::Values("num_hidden_layers", "hidden_size", "intermediate_size",
                      "num_attention_heads", "num_key_value_heads", "head_dim",
                      "vocab_size", "max_position_embeddings"));

TEST(FolderConfig, RequiredFieldsAreNamedWhereTheyAreMissing) {
  for (const char* key :
       {"model_type", "num_hidden_layers", "hidden_size", "intermediate_size",
        "num_attention_heads", "vocab_size", "max_position_embeddings"}) {
    Json json = LlamaJson();
    json.erase(key);
    EXPECT_THAT(Parse(json), IsInvalid(std::string("config.json: field '") +
                                       key + "' is missing"));
  }
}

TEST(ReadFolderConfig, GenerationConfigMayBeAbsent) {
  const TemporaryFolder folder;
  folder.Write("config.json", LlamaJson().dump());
  EXPECT_EQ(ReadFolderConfig(folder.path())->eos_token_ids,
            std::vector<Token>{2});
  folder.Write("generation_config.json", R"({"eos_token_id":[9]})");
  EXPECT_EQ(ReadFolderConfig(folder.path())->eos_token_ids,
            (std::vector<Token>{2, 9}));
}

TEST(ReadFolderConfig, BrokenFilesAreNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(ReadFolderConfig(folder.path()),
              IsError(absl::StatusCode::kNotFound, "/config.json"));
  folder.Write("config.json", LlamaJson().dump());
  folder.Write("generation_config.json", "{");
  EXPECT_THAT(ReadFolderConfig(folder.path()),
              IsInvalid("/generation_config.json: not valid JSON"));
}

}  // namespace
}  // namespace quire
