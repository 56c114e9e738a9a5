#include "common/modelfile/gguf_config.h"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/modelfile/error_text.h"
#include "common/status_macros.h"
#include "common/strings.h"

namespace quire {
namespace {

// By what other families multiply, clamp or bend what this one leaves alone. 0
// and 1 are taken for "not at all".
constexpr auto kUnsupportedNumbers = std::to_array<const char*>({
    "attention.clamp_kqv",
    "attention.max_alibi_bias",
    "attention.scale",
    "attn_logit_softcapping",
    "embedding_scale",
    "final_logit_softcapping",
    "logit_scale",
    "residual_scale",
});

// Metadata below the architecture's prefix. Absent is one thing, of a wrong
// kind another: a list of head counts, one a layer, must not pass for an absent
// head count.
class ArchitectureKeys {
 public:
  ArchitectureKeys(const GgufFile& file, std::string_view architecture)
      : file_(file), prefix_(absl::StrCat(ToAbsl(architecture), ".")) {}

  absl::StatusOr<std::optional<int64_t>> FindSize(const char* name) const {
    const std::string key = prefix_ + name;
    if (!file_.HasKey(key)) return std::optional<int64_t>();
    const std::optional<uint64_t> value = file_.GetUint(key);
    if (!value.has_value() ||
        *value > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) {
      return absl::InvalidArgumentError(
          absl::StrCat("metadata ", Quoted(key),
                       " must be one whole number from 0 to 2^31 - 1"));
    }
    return std::optional<int64_t>(static_cast<int64_t>(*value));
  }

  absl::StatusOr<int64_t> GetSize(const char* name) const {
    QUIRE_ASSIGN_OR_RETURN(const std::optional<int64_t> value, FindSize(name));
    if (value.has_value()) return *value;
    return absl::InvalidArgumentError(
        absl::StrCat("metadata ", Quoted(prefix_ + name), " is missing"));
  }

  absl::StatusOr<int64_t> GetSize(const char* name, int64_t fallback) const {
    QUIRE_ASSIGN_OR_RETURN(const std::optional<int64_t> value, FindSize(name));
    return value.value_or(fallback);
  }

  absl::StatusOr<double> GetNumber(const char* name, double fallback) const {
    return file_.HasKey(prefix_ + name) ? GetNumber(name) : fallback;
  }

  absl::StatusOr<double> GetNumber(const char* name) const {
    const std::string key = prefix_ + name;
    const std::optional<double> value = file_.GetFloat(key);
    if (!value.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "metadata ", Quoted(key), " is missing or not a number"));
    }
    return *value;
  }

  absl::StatusOr<std::string> GetString(const char* name,
                                        std::string fallback) const {
    const std::string key = prefix_ + name;
    if (!file_.HasKey(key)) return fallback;
    const std::optional<std::string_view> value = file_.GetString(key);
    if (!value.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("metadata ", Quoted(key), " must be a string"));
    }
    return std::string(*value);
  }

  absl::Status Unsupported(const char* name, const std::string& value) const {
    return absl::UnimplementedError(absl::StrCat("metadata ",
                                                 Quoted(prefix_ + name), " of ",
                                                 value, " is not supported"));
  }

 private:
  const GgufFile& file_;
  const std::string prefix_;
};

absl::StatusOr<std::string> ReadArchitecture(const GgufFile& file) {
  const std::optional<std::string_view> name =
      file.GetString("general.architecture");
  if (!name.has_value()) {
    return absl::InvalidArgumentError(
        "metadata 'general.architecture' is missing or not a string");
  }
  if (*name != "llama" && *name != "qwen2") {
    return absl::UnimplementedError(
        absl::StrCat("architecture ", Quoted(*name),
                     " is not supported; llama and qwen2 are"));
  }
  return std::string(*name);
}

absl::Status ReadSizes(const ArchitectureKeys& keys, ModelConfig* config) {
  QUIRE_ASSIGN_OR_RETURN(config->num_layers, keys.GetSize("block_count"));
  QUIRE_ASSIGN_OR_RETURN(config->hidden_size, keys.GetSize("embedding_length"));
  QUIRE_ASSIGN_OR_RETURN(config->intermediate_size,
                         keys.GetSize("feed_forward_length"));
  QUIRE_ASSIGN_OR_RETURN(config->num_heads,
                         keys.GetSize("attention.head_count"));
  QUIRE_ASSIGN_OR_RETURN(
      config->num_kv_heads,
      keys.GetSize("attention.head_count_kv", config->num_heads));
  QUIRE_ASSIGN_OR_RETURN(config->context_length,
                         keys.GetSize("context_length"));
  QUIRE_ASSIGN_OR_RETURN(config->rms_norm_epsilon,
                         keys.GetNumber("attention.layer_norm_rms_epsilon"));
  QUIRE_ASSIGN_OR_RETURN(config->rope_theta,
                         keys.GetNumber("rope.freq_base", config->rope_theta));
  return absl::OkStatus();
}

absl::Status ReadHeadDim(const ArchitectureKeys& keys, ModelConfig* config) {
  if (config->num_heads < 1) {
    return absl::InvalidArgumentError("metadata 'attention.head_count' is 0");
  }
  QUIRE_ASSIGN_OR_RETURN(const std::optional<int64_t> key_length,
                         keys.FindSize("attention.key_length"));
  if (!key_length.has_value() && config->hidden_size % config->num_heads != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "embedding_length is ", config->hidden_size,
        ", expected a multiple of attention.head_count, ", config->num_heads));
  }
  config->head_dim =
      key_length.value_or(config->hidden_size / config->num_heads);
  QUIRE_ASSIGN_OR_RETURN(
      const int64_t value_length,
      keys.GetSize("attention.value_length", config->head_dim));
  if (value_length != config->head_dim) {
    return keys.Unsupported("attention.value_length",
                            absl::StrCat(value_length, ", where keys have ",
                                         config->head_dim, ","));
  }
  QUIRE_ASSIGN_OR_RETURN(
      const int64_t rotated,
      keys.GetSize("rope.dimension_count", config->head_dim));
  if (rotated != config->head_dim) {
    return keys.Unsupported(
        "rope.dimension_count",
        absl::StrCat(rotated, ", where heads have ", config->head_dim, ","));
  }
  return absl::OkStatus();
}

absl::Status CheckNeutral(const ArchitectureKeys& keys, const char* name) {
  QUIRE_ASSIGN_OR_RETURN(const double value, keys.GetNumber(name, 0));
  return value == 0 || value == 1 ? absl::OkStatus()
                                  : keys.Unsupported(name, absl::StrCat(value));
}

absl::Status CheckRopeScaling(const ArchitectureKeys& keys) {
  QUIRE_ASSIGN_OR_RETURN(const std::string type,
                         keys.GetString("rope.scaling.type", ""));
  if (type == "none") return absl::OkStatus();
  if (!type.empty()) return keys.Unsupported("rope.scaling.type", Quoted(type));
  // A factor without a type means linear scaling.
  QUIRE_RETURN_IF_ERROR(CheckNeutral(keys, "rope.scaling.factor"));
  return CheckNeutral(keys, "rope.scale_linear");
}

// What would be computed wrongly, and silently.
absl::Status CheckSupported(const GgufFile& file, const ArchitectureKeys& keys,
                            const ModelConfig& config) {
  if (const uint64_t parts = file.GetUint("split.count").value_or(1);
      parts > 1) {
    return absl::UnimplementedError(
        absl::StrCat("a file that is one of ", parts,
                     " parts is not supported; merge them first"));
  }
  QUIRE_ASSIGN_OR_RETURN(const int64_t num_experts,
                         keys.GetSize("expert_count", 0));
  if (num_experts > 0) {
    return keys.Unsupported("expert_count", absl::StrCat(num_experts));
  }
  QUIRE_ASSIGN_OR_RETURN(const int64_t window,
                         keys.GetSize("attention.sliding_window", 0));
  if (window > 0 && window < config.context_length) {
    return keys.Unsupported("attention.sliding_window", absl::StrCat(window));
  }
  for (const char* name : kUnsupportedNumbers) {
    QUIRE_RETURN_IF_ERROR(CheckNeutral(keys, name));
  }
  return CheckRopeScaling(keys);
}

absl::Status ReadFromTensors(const GgufFile& file, ModelConfig* config) {
  const TensorView* embedding = file.FindTensor("token_embd.weight");
  if (embedding == nullptr) {
    return absl::InvalidArgumentError("tensor 'token_embd.weight' is missing");
  }
  config->vocabulary_size = embedding->shape.front();
  config->tied_embeddings = file.FindTensor("output.weight") == nullptr;
  config->has_rope_factors = file.FindTensor("rope_freqs.weight") != nullptr;
  config->attention_bias = config->architecture == "qwen2" ||
                           file.FindTensor("blk.0.attn_q.bias") != nullptr;
  return absl::OkStatus();
}

absl::Status ReadEndTokens(const GgufFile& file, ModelConfig* config) {
  for (const char* key :
       {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"}) {
    if (!file.HasKey(key)) continue;
    const std::optional<uint64_t> id = file.GetUint(key);
    if (!id.has_value() ||
        *id > static_cast<uint64_t>(std::numeric_limits<Token>::max())) {
      return absl::InvalidArgumentError(
          absl::StrCat("metadata ", Quoted(key), " must be a token id"));
    }
    const Token token = static_cast<Token>(*id);
    if (config->eos_token_ids.empty() ||
        config->eos_token_ids.front() != token) {
      config->eos_token_ids.push_back(token);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ModelConfig> ReadGgufConfig(const GgufFile& file) {
  ModelConfig config;
  QUIRE_ASSIGN_OR_RETURN(config.architecture, ReadArchitecture(file));
  config.rope_pairing = config.architecture == "llama"
                            ? RopePairing::kNeighbours
                            : RopePairing::kHalves;
  const ArchitectureKeys keys(file, config.architecture);
  QUIRE_RETURN_IF_ERROR(ReadSizes(keys, &config));
  QUIRE_RETURN_IF_ERROR(ReadHeadDim(keys, &config));
  QUIRE_RETURN_IF_ERROR(CheckSupported(file, keys, config));
  QUIRE_RETURN_IF_ERROR(ReadFromTensors(file, &config));
  QUIRE_RETURN_IF_ERROR(ReadEndTokens(file, &config));
  QUIRE_RETURN_IF_ERROR(config.Validate());
  return config;
}

}  // namespace quire
