#include "common/modelfile/model_config.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"

namespace quire {
namespace {

// Far above any model, and small enough that products of two sizes stay within
// int64_t.
constexpr int64_t kMaxSize = (int64_t{1} << 31) - 1;
constexpr int64_t kMaxLayers = 65536;

absl::Status CheckSize(const char* field, int64_t value,
                       int64_t limit = kMaxSize) {
  if (value >= 1 && value <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is ", value, ", expected 1 to ", limit));
}

// Also false for NaN.
absl::Status CheckRange(const char* field, double value, double least,
                        double most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is ", value, ", expected ", least, " to ", most));
}

absl::Status CheckSizes(const ModelConfig& config) {
  QUIRE_RETURN_IF_ERROR(CheckSize("num_layers", config.num_layers, kMaxLayers));
  QUIRE_RETURN_IF_ERROR(CheckSize("hidden_size", config.hidden_size));
  QUIRE_RETURN_IF_ERROR(
      CheckSize("intermediate_size", config.intermediate_size));
  QUIRE_RETURN_IF_ERROR(CheckSize("num_heads", config.num_heads));
  QUIRE_RETURN_IF_ERROR(CheckSize("num_kv_heads", config.num_kv_heads));
  QUIRE_RETURN_IF_ERROR(CheckSize("head_dim", config.head_dim));
  QUIRE_RETURN_IF_ERROR(CheckSize("vocabulary_size", config.vocabulary_size));
  return CheckSize("context_length", config.context_length);
}

absl::Status CheckHeads(const ModelConfig& config) {
  if (config.num_heads % config.num_kv_heads != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "num_heads is ", config.num_heads,
        ", expected a multiple of num_kv_heads, ", config.num_kv_heads));
  }
  if (config.head_dim % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "head_dim is ", config.head_dim, ", expected an even number"));
  }
  return CheckSize("num_heads * head_dim", config.num_heads * config.head_dim);
}

absl::Status CheckRope(const ModelConfig& config) {
  QUIRE_RETURN_IF_ERROR(CheckRange("rope_theta", config.rope_theta, 1, 1e15));
  if (!config.llama3_rope_scaling.has_value()) return absl::OkStatus();
  const Llama3RopeScaling& scaling = *config.llama3_rope_scaling;
  QUIRE_RETURN_IF_ERROR(CheckRange("rope factor", scaling.factor, 1, 1e6));
  QUIRE_RETURN_IF_ERROR(
      CheckRange("rope low_freq_factor", scaling.low_freq_factor, 1e-6, 1e6));
  QUIRE_RETURN_IF_ERROR(
      CheckRange("rope high_freq_factor", scaling.high_freq_factor, 1e-6, 1e6));
  if (scaling.high_freq_factor <= scaling.low_freq_factor) {
    return absl::InvalidArgumentError(absl::StrCat(
        "rope high_freq_factor is ", scaling.high_freq_factor,
        ", expected more than low_freq_factor, ", scaling.low_freq_factor));
  }
  return CheckRange("rope original_context_length",
                    scaling.original_context_length, 1,
                    static_cast<double>(kMaxSize));
}

absl::Status CheckEndTokens(const ModelConfig& config) {
  for (const Token token : config.eos_token_ids) {
    if (token < 0 || token >= config.vocabulary_size) {
      return absl::InvalidArgumentError(
          absl::StrCat("eos_token_ids has ", token, ", expected 0 to ",
                       config.vocabulary_size - 1));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ModelConfig::Validate() const {
  if (architecture != "llama" && architecture != "qwen2") {
    return absl::InvalidArgumentError(absl::StrCat(
        "architecture is '", architecture, "', expected 'llama' or 'qwen2'"));
  }
  QUIRE_RETURN_IF_ERROR(CheckSizes(*this));
  QUIRE_RETURN_IF_ERROR(CheckHeads(*this));
  QUIRE_RETURN_IF_ERROR(CheckRange("rms_norm_epsilon", rms_norm_epsilon, 0, 1));
  QUIRE_RETURN_IF_ERROR(CheckRope(*this));
  return CheckEndTokens(*this);
}

}  // namespace quire
