#include "common/modelfile/folder_config.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/modelfile/error_text.h"
#include "common/modelfile/json_file.h"
#include "common/status_macros.h"

namespace quire {
namespace {

using Json = nlohmann::json;

constexpr JsonLimits kConfigLimits = {.max_bytes = uint64_t{4} << 20,
                                      .max_depth = 32};

// Mistral's window where config.json does not mention one.
constexpr int64_t kDefaultMistralWindow = 4096;

// Far above any model; a list of ends is searched for each token.
constexpr size_t kMaxEndTokens = 256;

absl::Status Unsupported(const std::string& what) {
  return absl::UnimplementedError(
      absl::StrCat("config.json: ", what, " is not supported"));
}

// Mistral is a Llama with other values of the same fields.
absl::StatusOr<std::string> ArchitectureOf(const std::string& model_type) {
  if (model_type == "llama" || model_type == "mistral") {
    return std::string("llama");
  }
  if (model_type == "qwen2") return std::string("qwen2");
  return absl::UnimplementedError(
      absl::StrCat("config.json: model_type ", Quoted(model_type),
                   " is not supported; llama, mistral and qwen2 are"));
}

absl::StatusOr<int64_t> GetHeadDim(const JsonFields& fields,
                                   const ModelConfig& config) {
  if (fields.Has("head_dim")) return fields.GetInt("head_dim");
  if (config.num_heads < 1 || config.hidden_size % config.num_heads != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("config.json: hidden_size is ", config.hidden_size,
                     ", expected a multiple of num_attention_heads, ",
                     config.num_heads, ", since there is no head_dim"));
  }
  return config.hidden_size / config.num_heads;
}

absl::Status ReadSizes(const JsonFields& fields, ModelConfig* config) {
  QUIRE_ASSIGN_OR_RETURN(config->num_layers,
                         fields.GetInt("num_hidden_layers"));
  QUIRE_ASSIGN_OR_RETURN(config->hidden_size, fields.GetInt("hidden_size"));
  QUIRE_ASSIGN_OR_RETURN(config->intermediate_size,
                         fields.GetInt("intermediate_size"));
  QUIRE_ASSIGN_OR_RETURN(config->num_heads,
                         fields.GetInt("num_attention_heads"));
  QUIRE_ASSIGN_OR_RETURN(
      config->num_kv_heads,
      fields.GetInt("num_key_value_heads", config->num_heads));
  QUIRE_ASSIGN_OR_RETURN(config->head_dim, GetHeadDim(fields, *config));
  QUIRE_ASSIGN_OR_RETURN(config->vocabulary_size, fields.GetInt("vocab_size"));
  QUIRE_ASSIGN_OR_RETURN(config->context_length,
                         fields.GetInt("max_position_embeddings"));
  QUIRE_ASSIGN_OR_RETURN(config->rms_norm_epsilon,
                         fields.GetNumber("rms_norm_eps", 1e-6));
  QUIRE_ASSIGN_OR_RETURN(config->tied_embeddings,
                         fields.GetBool("tie_word_embeddings", false));
  return absl::OkStatus();
}

absl::Status CheckWholeHeadRotates(const JsonFields& fields) {
  QUIRE_ASSIGN_OR_RETURN(const double rotated,
                         fields.GetNumber("partial_rotary_factor", 1));
  return rotated == 1
             ? absl::OkStatus()
             : Unsupported(absl::StrCat("partial_rotary_factor of ", rotated));
}

// `rope` is rope_parameters or rope_scaling.
absl::Status ReadRopeScaling(const JsonFields& rope, ModelConfig* config) {
  QUIRE_RETURN_IF_ERROR(CheckWholeHeadRotates(rope));
  if (rope.HasObject()) return Unsupported("RoPE that differs between layers");
  // "type" is the oldest name of "rope_type".
  QUIRE_ASSIGN_OR_RETURN(const std::string old_type,
                         rope.GetString("type", "default"));
  QUIRE_ASSIGN_OR_RETURN(const std::string type,
                         rope.GetString("rope_type", old_type));
  QUIRE_ASSIGN_OR_RETURN(config->rope_theta,
                         rope.GetNumber("rope_theta", config->rope_theta));
  if (type == "default") return absl::OkStatus();
  if (type != "llama3") {
    return Unsupported(absl::StrCat("RoPE of type ", Quoted(type)));
  }
  Llama3RopeScaling scaling;
  QUIRE_ASSIGN_OR_RETURN(scaling.factor, rope.GetNumber("factor"));
  QUIRE_ASSIGN_OR_RETURN(scaling.low_freq_factor,
                         rope.GetNumber("low_freq_factor"));
  QUIRE_ASSIGN_OR_RETURN(scaling.high_freq_factor,
                         rope.GetNumber("high_freq_factor"));
  QUIRE_ASSIGN_OR_RETURN(scaling.original_context_length,
                         rope.GetNumber("original_max_position_embeddings"));
  config->llama3_rope_scaling = scaling;
  return absl::OkStatus();
}

absl::Status ReadRope(const JsonFields& fields, ModelConfig* config) {
  QUIRE_RETURN_IF_ERROR(CheckWholeHeadRotates(fields));
  QUIRE_ASSIGN_OR_RETURN(config->rope_theta,
                         fields.GetNumber("rope_theta", 10000));
  QUIRE_ASSIGN_OR_RETURN(const std::optional<JsonFields> today,
                         fields.GetObject("rope_parameters"));
  QUIRE_ASSIGN_OR_RETURN(const std::optional<JsonFields> older,
                         fields.GetObject("rope_scaling"));
  if (today.has_value() && older.has_value()) {
    return absl::InvalidArgumentError(
        "config.json: both rope_parameters and rope_scaling are given");
  }
  if (today.has_value()) return ReadRopeScaling(*today, config);
  return older.has_value() ? ReadRopeScaling(*older, config) : absl::OkStatus();
}

absl::Status CheckWindow(const JsonFields& fields,
                         const std::string& model_type,
                         int64_t context_length) {
  if (model_type == "qwen2") {
    QUIRE_ASSIGN_OR_RETURN(const bool is_used,
                           fields.GetBool("use_sliding_window", false));
    return is_used ? Unsupported("use_sliding_window") : absl::OkStatus();
  }
  if (model_type != "mistral") return absl::OkStatus();
  const bool is_mentioned = fields.Contains("sliding_window");
  QUIRE_ASSIGN_OR_RETURN(
      const int64_t window,
      fields.GetInt("sliding_window",
                    is_mentioned ? context_length : kDefaultMistralWindow));
  if (window >= context_length) return absl::OkStatus();
  return Unsupported(absl::StrCat(
      "a sliding_window of ", window, is_mentioned ? "" : " (the default)",
      " below max_position_embeddings, ", context_length, ","));
}

absl::Status CheckLayerTypes(const JsonFields& fields) {
  const Json* types = fields.Find("layer_types");
  if (types == nullptr) return absl::OkStatus();
  if (!types->is_array()) {
    return absl::InvalidArgumentError(
        "config.json: field 'layer_types' must be a list");
  }
  for (const Json& type : *types) {
    if (type != "full_attention") {
      return Unsupported(absl::StrCat(
          "layer type ", type.is_string() ? Quoted(type.get<std::string>())
                                          : type.type_name()));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSupported(const JsonFields& fields,
                            const std::string& model_type,
                            const ModelConfig& config) {
  QUIRE_ASSIGN_OR_RETURN(const std::string activation,
                         fields.GetString("hidden_act", "silu"));
  if (activation != "silu") {
    return Unsupported(absl::StrCat("hidden_act ", Quoted(activation)));
  }
  if (fields.Has("quantization_config")) {
    return Unsupported("quantization_config");
  }
  if (model_type == "llama") {
    // Llama's switch would give the output projection a bias too.
    for (const char* name : {"attention_bias", "mlp_bias"}) {
      QUIRE_ASSIGN_OR_RETURN(const bool has_bias, fields.GetBool(name, false));
      if (has_bias) return Unsupported(name);
    }
  }
  QUIRE_RETURN_IF_ERROR(CheckLayerTypes(fields));
  return CheckWindow(fields, model_type, config.context_length);
}

absl::Status AddEndTokens(const JsonFields& fields, ModelConfig* config) {
  QUIRE_ASSIGN_OR_RETURN(const std::vector<int64_t> ids,
                         fields.GetInts("eos_token_id"));
  if (ids.size() > kMaxEndTokens) {
    return absl::InvalidArgumentError(
        absl::StrCat("eos_token_id lists ", ids.size(), " ids, the limit is ",
                     kMaxEndTokens));
  }
  for (const int64_t id : ids) {
    if (id < 0 || id > std::numeric_limits<Token>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("eos_token_id is ", id, ", expected a token id"));
    }
    const Token token = static_cast<Token>(id);
    auto& known = config->eos_token_ids;
    if (std::find(known.begin(), known.end(), token) == known.end()) {
      known.push_back(token);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ModelConfig> ParseFolderConfig(const Json& config_json,
                                              const Json& generation_json) {
  QUIRE_ASSIGN_OR_RETURN(const JsonFields fields,
                         JsonFields::Of(config_json, "config.json"));
  QUIRE_ASSIGN_OR_RETURN(const std::string model_type,
                         fields.GetString("model_type"));
  ModelConfig config;
  QUIRE_ASSIGN_OR_RETURN(config.architecture, ArchitectureOf(model_type));
  config.attention_bias = model_type == "qwen2";
  QUIRE_RETURN_IF_ERROR(ReadSizes(fields, &config));
  QUIRE_RETURN_IF_ERROR(ReadRope(fields, &config));
  QUIRE_RETURN_IF_ERROR(CheckSupported(fields, model_type, config));
  QUIRE_RETURN_IF_ERROR(AddEndTokens(fields, &config));
  if (!generation_json.is_null()) {
    QUIRE_ASSIGN_OR_RETURN(
        const JsonFields generation,
        JsonFields::Of(generation_json, "generation_config.json"));
    QUIRE_RETURN_IF_ERROR(AddEndTokens(generation, &config));
  }
  QUIRE_RETURN_IF_ERROR(InFile("config.json", config.Validate()));
  return config;
}

absl::StatusOr<ModelConfig> ReadFolderConfig(const std::string& folder) {
  QUIRE_ASSIGN_OR_RETURN(const Json config,
                         ReadJsonFile(folder + "/config.json", kConfigLimits));
  absl::StatusOr<Json> generation =
      ReadJsonFile(folder + "/generation_config.json", kConfigLimits);
  if (absl::IsNotFound(generation.status())) generation = Json(nullptr);
  if (!generation.ok()) return generation.status();
  absl::StatusOr<ModelConfig> result = ParseFolderConfig(config, *generation);
  if (!result.ok()) return InFile(folder, result.status());
  return result;
}

}  // namespace quire
