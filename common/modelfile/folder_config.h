#ifndef QUIRE_COMMON_MODELFILE_FOLDER_CONFIG_H_
#define QUIRE_COMMON_MODELFILE_FOLDER_CONFIG_H_

#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "common/modelfile/model_config.h"

namespace quire {

// The configuration that config.json and generation_config.json (which may be
// null) describe, validated. Reads RoPE from today's `rope_parameters` and from
// the older `rope_theta` and `rope_scaling`; an absent field means what it
// means to Hugging Face Transformers. The ends of a sequence are those of both
// files. INVALID_ARGUMENT: a field is missing, of a wrong kind, or absurd.
// UNIMPLEMENTED names what this program would compute wrongly: another model
// type, a sliding window in use, another RoPE scaling than Llama 3's, another
// activation, biases elsewhere than at Q, K and V, quantized weights.
absl::StatusOr<ModelConfig> ParseFolderConfig(
    const nlohmann::json& config, const nlohmann::json& generation_config);

// ParseFolderConfig of the two files in a folder. NOT_FOUND: no config.json;
// generation_config.json may be absent.
absl::StatusOr<ModelConfig> ReadFolderConfig(const std::string& folder);

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_FOLDER_CONFIG_H_
