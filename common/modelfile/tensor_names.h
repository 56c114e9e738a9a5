#ifndef QUIRE_COMMON_MODELFILE_TENSOR_NAMES_H_
#define QUIRE_COMMON_MODELFILE_TENSOR_NAMES_H_

#include <optional>
#include <string>
#include <string_view>

namespace quire {

// GGUF's name for a tensor that Hugging Face's Llama, Mistral and Qwen2 models
// name `name`: "model.layers.3.self_attn.q_proj.weight" ->
// "blk.3.attn_q.weight". nullopt: no tensor of these models.
std::optional<std::string> GgufTensorName(std::string_view name);

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_TENSOR_NAMES_H_
