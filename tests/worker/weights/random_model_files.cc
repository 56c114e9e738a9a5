#include "tests/worker/weights/random_model_files.h"

#include "kernels/dequantize.h"
#include "tests/kernels/kernel_testing.h"
#include "tests/kernels/random_weights.h"

namespace quire {
RandomModelFiles::RandomModelFiles(const ModelConfig& config,
                                   TensorType matrix_type)
    : config_(config) {
  const int64_t hidden = config.hidden_size;
  const int64_t q = config.num_heads * config.head_dim;
  const int64_t kv = config.num_kv_heads * config.head_dim;
  AddTensor("token_embd.weight", {config.vocabulary_size, hidden},
            TensorType::kF32);
  AddTensor("output.weight", {config.vocabulary_size, hidden},
            TensorType::kF32);
  AddTensor("output_norm.weight", {hidden}, TensorType::kF32);
  AddTensor("rope_freqs.weight", {config.head_dim / 2}, TensorType::kF32);
  for (int64_t layer = 0; layer < config.num_layers; ++layer) {
    const std::string prefix = "blk." + std::to_string(layer) + ".";
    AddTensor(prefix + "attn_norm.weight", {hidden}, TensorType::kF32);
    AddTensor(prefix + "attn_q.weight", {q, hidden}, matrix_type);
    AddTensor(prefix + "attn_k.weight", {kv, hidden}, matrix_type);
    AddTensor(prefix + "attn_v.weight", {kv, hidden}, matrix_type);
    AddTensor(prefix + "attn_q.bias", {q}, TensorType::kF32);
    AddTensor(prefix + "attn_k.bias", {kv}, TensorType::kF32);
    AddTensor(prefix + "attn_v.bias", {kv}, TensorType::kF32);
    AddTensor(prefix + "attn_output.weight", {hidden, q}, matrix_type);
    AddTensor(prefix + "ffn_norm.weight", {hidden}, TensorType::kF32);
    AddTensor(prefix + "ffn_gate.weight", {config.intermediate_size, hidden},
              matrix_type);
    AddTensor(prefix + "ffn_up.weight", {config.intermediate_size, hidden},
              matrix_type);
    AddTensor(prefix + "ffn_down.weight", {hidden, config.intermediate_size},
              matrix_type);
  }
}

void RandomModelFiles::AddTensor(const std::string& name,
                                 const std::vector<int64_t>& shape,
                                 TensorType type) {
  int64_t size = 1;
  for (int64_t extent : shape) size *= extent;
  uint64_t seed = 1;
  for (char c : name) seed = seed * 131 + static_cast<unsigned char>(c);
  RandomFloats random(seed);
  Tensor& tensor = tensors_[name];
  tensor.data = RandomWeights(type, size, 0.3f, random);
  tensor.view = {
      .name = name, .type = type, .shape = shape, .data = tensor.data};
}

float RandomModelFiles::At(const std::string& name, int64_t index) const {
  const TensorView& view = tensors_.find(name)->second.view;
  std::vector<float> values(view.num_elements());
  Dequantize(view.type, view.data.data(), view.num_elements(), values.data());
  return values[index];
}

const TensorView* RandomModelFiles::FindTensor(std::string_view name) const {
  const auto it = tensors_.find(name);
  return it == tensors_.end() ? nullptr : &it->second.view;
}

}  // namespace quire
