#include "tests/testing/model_converter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <memory>
#include <numbers>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/check.h"
#include "common/modelfile/json_file.h"
#include "common/modelfile/model_files.h"

namespace quire::testing {
namespace {

using Json = nlohmann::json;

template <typename T>
T ValueOrDie(absl::StatusOr<T> result) {
  if (!result.ok()) std::cerr << result.status() << "\n";
  QUIRE_CHECK(result.ok());
  return *std::move(result);
}

void AddConfig(const ModelConfig& config, GgufWriter* writer) {
  const std::string prefix = config.architecture + ".";
  const auto add = [&](const char* name, int64_t value) {
    writer->Add(prefix + name, static_cast<uint32_t>(value));
  };
  writer->Add("general.architecture", config.architecture);
  add("block_count", config.num_layers);
  add("context_length", config.context_length);
  add("embedding_length", config.hidden_size);
  add("feed_forward_length", config.intermediate_size);
  add("attention.head_count", config.num_heads);
  add("attention.head_count_kv", config.num_kv_heads);
  add("attention.key_length", config.head_dim);
  add("attention.value_length", config.head_dim);
  add("rope.dimension_count", config.head_dim);
  writer->Add(prefix + "attention.layer_norm_rms_epsilon",
              static_cast<float>(config.rms_norm_epsilon));
  writer->Add(prefix + "rope.freq_base", static_cast<float>(config.rope_theta));
  if (!config.eos_token_ids.empty()) {
    writer->Add("tokenizer.ggml.eos_token_id",
                static_cast<uint32_t>(config.eos_token_ids.front()));
  }
}

// A merge is "left right" in older files and ["left", "right"] in newer ones.
std::string MergeText(const Json& merge) {
  if (merge.is_string()) return merge.get<std::string>();
  return merge.at(0).get<std::string>() + " " + merge.at(1).get<std::string>();
}

void AddTokenizer(const std::string& folder, int64_t vocabulary_size,
                  GgufWriter* writer) {
  const Json json = ValueOrDie(ReadJsonFile(folder + "/tokenizer.json"));
  constexpr int32_t kNormal = 1, kControl = 3, kUnused = 5;
  std::vector<std::string> tokens(vocabulary_size);
  std::vector<int32_t> types(vocabulary_size, kUnused);
  for (const auto& [text, id] : json.at("model").at("vocab").items()) {
    tokens.at(id.get<size_t>()) = text;
    types.at(id.get<size_t>()) = kNormal;
  }
  for (const Json& token : json.at("added_tokens")) {
    tokens.at(token.at("id").get<size_t>()) =
        token.at("content").get<std::string>();
    types.at(token.at("id").get<size_t>()) = kControl;
  }
  std::vector<std::string> merges;
  for (const Json& merge : json.at("model").at("merges")) {
    merges.push_back(MergeText(merge));
  }
  writer->Add("tokenizer.ggml.model", "gpt2")
      .Add("tokenizer.ggml.pre", "gpt-2");
  writer->AddArray("tokenizer.ggml.tokens", tokens)
      .AddArray("tokenizer.ggml.token_type", types);
  writer->AddArray("tokenizer.ggml.merges", merges);
}

// Row i of the first half of a head and row i of its second half become
// neighbours.
std::string PermuteRows(const TensorView& tensor, int64_t head_dim) {
  const size_t row_bytes = tensor.data.size() / tensor.shape[0];
  std::string result(tensor.data.size(), '\0');
  for (int64_t row = 0; row < tensor.shape[0]; ++row) {
    const int64_t head = row / head_dim, in_head = row % head_dim;
    const int64_t source =
        head * head_dim + in_head % 2 * (head_dim / 2) + in_head / 2;
    std::memcpy(result.data() + row * row_bytes,
                tensor.data.data() + source * row_bytes, row_bytes);
  }
  return result;
}

// By what Llama 3 divides the frequencies of RoPE: 1 where a wave is short
// against the original context, `factor` where it is long, and in between a
// blend of the two.
std::string RopeFactors(const ModelConfig& config) {
  const Llama3RopeScaling& scaling = *config.llama3_rope_scaling;
  std::string bytes;
  for (int64_t i = 0; i < config.head_dim / 2; ++i) {
    const double frequency =
        std::pow(config.rope_theta, -2.0 * static_cast<double>(i) /
                                        static_cast<double>(config.head_dim));
    const double turns =
        scaling.original_context_length * frequency / (2 * std::numbers::pi);
    double blend = (turns - scaling.low_freq_factor) /
                   (scaling.high_freq_factor - scaling.low_freq_factor);
    blend = std::min(1.0, std::max(0.0, blend));
    const float factor =
        static_cast<float>(1 / ((1 - blend) / scaling.factor + blend));
    bytes.append(reinterpret_cast<const char*>(&factor), sizeof(factor));
  }
  return bytes;
}

std::string_view Text(const TensorView& tensor) {
  return {reinterpret_cast<const char*>(tensor.data.data()),
          tensor.data.size()};
}

void AddTensors(const ModelFiles& model, GgufWriter* writer) {
  const ModelConfig& config = model.config();
  const auto add = [&](const std::string& name) {
    const TensorView* tensor = model.FindTensor(name);
    if (tensor == nullptr) return;
    const bool is_permuted =
        config.architecture == "llama" &&
        (name.ends_with("attn_q.weight") || name.ends_with("attn_k.weight"));
    writer->AddTensor(name, tensor->type, tensor->shape,
                      is_permuted ? PermuteRows(*tensor, config.head_dim)
                                  : std::string(Text(*tensor)));
  };
  for (const char* name :
       {"token_embd.weight", "output_norm.weight", "output.weight"}) {
    add(name);
  }
  for (int64_t layer = 0; layer < config.num_layers; ++layer) {
    for (const char* part :
         {"attn_norm.weight", "attn_q.weight", "attn_q.bias", "attn_k.weight",
          "attn_k.bias", "attn_v.weight", "attn_v.bias", "attn_output.weight",
          "ffn_norm.weight", "ffn_gate.weight", "ffn_up.weight",
          "ffn_down.weight"}) {
      add("blk." + std::to_string(layer) + "." + part);
    }
  }
  if (config.llama3_rope_scaling.has_value()) {
    writer->AddTensor("rope_freqs.weight", TensorType::kF32,
                      {config.head_dim / 2}, RopeFactors(config));
  }
}

}  // namespace

GgufWriter GgufFromFolder(const std::string& folder) {
  const std::unique_ptr<ModelFiles> model =
      ValueOrDie(ModelFiles::Open(folder));
  GgufWriter writer;
  writer.Add("general.name", model->name());
  AddConfig(model->config(), &writer);
  AddTokenizer(folder, model->config().vocabulary_size, &writer);
  AddTensors(*model, &writer);
  return writer;
}

}  // namespace quire::testing
